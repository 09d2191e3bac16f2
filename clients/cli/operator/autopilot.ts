import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError, Failed } from '../console.js'
import { casOf, on, text, integer, numberOf } from '../remote/flags.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { details, table, type Content, type Row } from '../remote/output.js'

const PATH = '/v1/operator/autopilot/configuration'

const settingsOf = ({ CreateIndex: _created, ModifyIndex: _modified, ...settings }: Schemas['Autopilot']) =>
  settings

const getConfig = showCommand({
  summary: 'Show the configuration of Autopilot.',
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

const defined = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

const setConfig = remoteCommand({
  summary: 'Update the configuration of Autopilot.',
  about: 'The server stores the settings. They have no effect. Settings that no flag sets keep their values.',
  examples: ['annals operator autopilot set-config -cleanup-dead-servers=false -min-quorum=3'],
  flags: {
    cleanupDeadServers: text('true|false', 'remove failed servers'),
    lastContactThreshold: text('duration', 'time without contact after which a server is unhealthy'),
    serverStabilizationTime: text('duration', 'time that a new server must be healthy'),
    maxTrailingLogs: integer('number', 'number of missing commits after which a server is unhealthy'),
    minQuorum: integer('number', 'minimum number of servers'),
    redundancyZoneTag: text('tag', 'metadata key of the zone of a server'),
    disableUpgradeMigration: text('true|false', 'disable the migration to newer servers'),
    upgradeVersionTag: text('tag', 'metadata key of the version of a server'),
    cas: on('only if the configuration has the --modify-index'),
    modifyIndex: integer('index', 'required ModifyIndex')
  },
  run: async ({ read, write, out, flags }) => {
    const body = {
      ...settingsOf(await read(PATH)),
      ...defined({
        CleanupDeadServers: truth('cleanup-dead-servers', flags.cleanupDeadServers),
        LastContactThreshold: flags.lastContactThreshold,
        ServerStabilizationTime: flags.serverStabilizationTime,
        MaxTrailingLogs: numberOf(flags.maxTrailingLogs),
        MinQuorum: numberOf(flags.minQuorum),
        RedundancyZoneTag: flags.redundancyZoneTag,
        DisableUpgradeMigration: truth('disable-upgrade-migration', flags.disableUpgradeMigration),
        UpgradeVersionTag: flags.upgradeVersionTag
      })
    }
    if (!(await write('put', PATH, body, { cas: casOf(flags) })))
      throw new Failed('not set: the ModifyIndex is another')
    out.note('Configuration updated!')
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

const stateText = ({ Servers, ...state }: Schemas['AutopilotState']): Content => [
  details(['Healthy', ['Failure tolerance', 'FailureTolerance'], 'Leader'], state),
  '',
  table(SERVER_COLUMNS, Object.values(Servers))
]

const state = remoteCommand({
  summary: 'Show the health of the servers.',
  about: 'The exit code is 1 if the cluster is unhealthy.',
  examples: ['annals operator autopilot state'],
  isRead: true,
  run: async ({ read, out }) => {
    const found = await read('/v1/operator/autopilot/state')
    out.show(found, stateText)
    if (!found.Healthy) throw new Failed('the cluster is not healthy')
  }
})

export const autopilot = group({
  summary: 'Show the health of the servers, and configure Autopilot.',
  examples: ['annals operator autopilot state', 'annals operator autopilot get-config'],
  commands: { 'get-config': getConfig, 'set-config': setConfig, state }
})
