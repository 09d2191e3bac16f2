// `annals operator autopilot`
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { casOf, on, text, integer } from '../remote/flags.js'
import { group, remoteCommand } from '../remote/command.js'
import { fields, table } from '../remote/output.js'

interface Settings {
  readonly CleanupDeadServers: boolean
  readonly LastContactThreshold: string
  readonly ServerStabilizationTime: string
  readonly MaxTrailingLogs: number
  readonly MinQuorum: number
  readonly RedundancyZoneTag: string
  readonly DisableUpgradeMigration: boolean
  readonly UpgradeVersionTag: string
}

interface Configuration extends Settings {
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

const PATH = '/v1/operator/autopilot/configuration'

const configurationText = ({
  CreateIndex: _made,
  ModifyIndex: _changed,
  ...settings
}: Configuration): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join('\n')

const getConfig = remoteCommand({
  summary: 'Show how the servers are looked after.',
  examples: ['annals operator autopilot get-config'],
  run: async ({ read, out }) => out.show(await read<Configuration>(PATH), configurationText)
})

const truth = (name: string, value: string | undefined): boolean | undefined => {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new UsageError(`--${name} is true or false, not "${value}"`)
  return value === undefined ? undefined : value === 'true'
}

const number = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)

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
  run: async ({ read, send, out, flags }) => {
    const { CreateIndex: _made, ModifyIndex: _changed, ...before } = await read<Configuration>(PATH)
    const body: Settings = {
      CleanupDeadServers:
        truth('cleanup-dead-servers', flags.cleanupDeadServers) ?? before.CleanupDeadServers,
      LastContactThreshold: flags.lastContactThreshold ?? before.LastContactThreshold,
      ServerStabilizationTime: flags.serverStabilizationTime ?? before.ServerStabilizationTime,
      MaxTrailingLogs: number(flags.maxTrailingLogs) ?? before.MaxTrailingLogs,
      MinQuorum: number(flags.minQuorum) ?? before.MinQuorum,
      RedundancyZoneTag: flags.redundancyZoneTag ?? before.RedundancyZoneTag,
      DisableUpgradeMigration:
        truth('disable-upgrade-migration', flags.disableUpgradeMigration) ?? before.DisableUpgradeMigration,
      UpgradeVersionTag: flags.upgradeVersionTag ?? before.UpgradeVersionTag
    }
    const answer = await send('PUT', PATH, { query: { cas: casOf(flags) }, body })
    if (!(await answer.json<boolean>())) throw new Failed('not set: the ModifyIndex is another')
    out.done('Configuration updated!')
  }
})

interface State {
  readonly Healthy: boolean
  readonly FailureTolerance: number
  readonly Leader: string
  readonly Servers: Readonly<
    Record<
      string,
      {
        readonly Name: string
        readonly Address: string
        readonly NodeStatus: string
        readonly Status: string
        readonly Healthy: boolean
        readonly LastContact: string
        readonly LastIndex: number
      }
    >
  >
}

const stateText = ({ Healthy, FailureTolerance, Leader, Servers }: State): string => {
  const head = fields({ Healthy, 'Failure tolerance': FailureTolerance, Leader })
  return `${head}\n\n${table(
    [
      'Name',
      'Address',
      ['Node', 'NodeStatus'],
      'Status',
      'Healthy',
      ['Last contact', 'LastContact'],
      ['Last index', 'LastIndex']
    ],
    Object.values(Servers)
  )}`
}

const state = remoteCommand({
  summary: 'Show how the servers are.',
  about: 'Ends with 1 when the cluster is not healthy.',
  examples: ['annals operator autopilot state'],
  run: async ({ read, out }) => {
    const found = await read<State>('/v1/operator/autopilot/state')
    out.show(found, stateText)
    if (!found.Healthy) throw new Failed('the cluster is not healthy')
  }
})

export const autopilot = group({
  summary: 'Show how the servers are, and set how they are looked after.',
  examples: ['annals operator autopilot state', 'annals operator autopilot get-config'],
  commands: { 'get-config': getConfig, 'set-config': setConfig, state }
})
