import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { casOf, on, text, integer } from '../remote/flags.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { details, table, type Row } from '../remote/output.js'

const PATH = '/v1/operator/autopilot/configuration'

const settingsOf = ({ CreateIndex: _created, ModifyIndex: _modified, ...settings }: Schemas['Autopilot']) =>
  settings

const getConfig = showCommand({
  summary: 'Show how the servers are looked after.',
  examples: ['annals operator autopilot get-config'],
  path: PATH,
  parameters: () => ({}),
  asText: configuration =>
    Object.entries(settingsOf(configuration))
      .map(([name, value]) => `${name} = ${String(value)}`)
      .join('\n')
})

const truth = (name: string, value: string | undefined): boolean | undefined => {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new UsageError(`--${name} is true or false, not "${value}"`)
  return value === undefined ? undefined : value === 'true'
}

const number = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)

const defined = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

const setConfig = remoteCommand({
  summary: 'Set how the servers are looked after: what no flag says stays.',
  about: 'The settings are kept, and have no effect on the servers.',
  examples: ['annals operator autopilot set-config -cleanup-dead-servers=false -min-quorum=3'],
  flags: {
    cleanupDeadServers: text('true|false', 'forget servers that are not heard of any more'),
    lastContactThreshold: text('duration', 'a server not heard of for longer is not healthy'),
    serverStabilizationTime: text('duration', 'how long a server must be healthy'),
    maxTrailingLogs: integer('number', 'a server that is further behind is not healthy'),
    minQuorum: integer('number', 'so many servers are never forgotten'),
    redundancyZoneTag: text('tag', 'metadata that tells the zone of a server'),
    disableUpgradeMigration: text('true|false', 'do not wait for new servers'),
    upgradeVersionTag: text('tag', 'metadata that tells the version of a server'),
    cas: on('only if they have not changed: see --modify-index'),
    modifyIndex: integer('index', 'the ModifyIndex that they must have')
  },
  run: async ({ read, write, out, flags }) => {
    const body = {
      ...settingsOf(await read(PATH)),
      ...defined({
        CleanupDeadServers: truth('cleanup-dead-servers', flags.cleanupDeadServers),
        LastContactThreshold: flags.lastContactThreshold,
        ServerStabilizationTime: flags.serverStabilizationTime,
        MaxTrailingLogs: number(flags.maxTrailingLogs),
        MinQuorum: number(flags.minQuorum),
        RedundancyZoneTag: flags.redundancyZoneTag,
        DisableUpgradeMigration: truth('disable-upgrade-migration', flags.disableUpgradeMigration),
        UpgradeVersionTag: flags.upgradeVersionTag
      })
    }
    if (!(await write('put', PATH, body, { cas: casOf(flags) })))
      throw new Failed('not set: the ModifyIndex is another')
    out.done('Configuration updated!')
  }
})

const SERVER_COLUMNS = [
  'Name',
  'Address',
  ['Node', 'NodeStatus'],
  'Status',
  'Healthy',
  ['Last contact', 'LastContact'],
  ['Last index', 'LastIndex']
] as const

const stateText = ({ Servers, ...state }: Schemas['AutopilotState']): string =>
  [
    details(['Healthy', ['Failure tolerance', 'FailureTolerance'], 'Leader'], state),
    table(SERVER_COLUMNS, Object.values(Servers))
  ].join('\n\n')

const state = remoteCommand({
  summary: 'Show how the servers are.',
  about: 'Ends with 1 when the cluster is not healthy.',
  examples: ['annals operator autopilot state'],
  run: async ({ read, out }) => {
    const found = await read('/v1/operator/autopilot/state')
    out.show(found, stateText)
    if (!found.Healthy) throw new Failed('the cluster is not healthy')
  }
})

export const autopilot = group({
  summary: 'Show how the servers are, and set how they are looked after.',
  examples: ['annals operator autopilot state', 'annals operator autopilot get-config'],
  commands: { 'get-config': getConfig, 'set-config': setConfig, state }
})
