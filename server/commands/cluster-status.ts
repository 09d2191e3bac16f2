import type { ClusterSeed, Member, SharedState, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Settings } from '../settings/settings.js'
import { UsageError, type Console } from '../../clients/cli/console.js'

/** Passes the shared log to `use`, and closes it. @throws UsageError without etcd in the configuration; SharedUnreachable */
export const withShared = async <T>(
  settings: Settings,
  use: (shared: SharedLog) => Promise<T>
): Promise<T> => {
  if (settings.cluster.etcd.endpoints.length === 0)
    throw new UsageError('the configuration names no etcd (cluster.etcd.endpoints); see --config')
  const { sharedLogOf } = await import('../cluster/members/clustered-log.js')
  const shared = await sharedLogOf(settings)
  try {
    return await use(shared)
  } finally {
    await shared.close()
  }
}

interface Status {
  readonly foundation: ClusterSeed
  readonly state: SharedState
  readonly live: readonly Member[]
  readonly joined: readonly Member[]
}

const partOf = ({ state, live }: Status, { id }: Member): string => {
  if (!live.some(member => member.id === id)) return 'not heard of'
  return state.leader?.id === id ? 'leads' : 'follows'
}

/** The newest announcement of each server, by name. */
const membersOf = ({ live, joined }: Status): readonly Member[] =>
  [...new Map([...joined, ...live].map(member => [member.id, member])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1
  )

const asText = (status: Status, prefix: string): string => {
  const { state, live, foundation } = status
  const leader = live.find(({ id }) => id === state.leader?.id)?.name ?? state.leader?.id ?? 'none'
  const all = membersOf(status)
  const width = Math.max(...all.map(({ name }) => name.length))
  const addresses = Math.max(...all.map(({ address }) => address.length))
  return [
    `Cluster ${prefix} (log ${foundation.log.id}): ${leader} leads, the newest commit is ${state.head.index}, etcd holds those from ${state.floor} on.`,
    ...all.map(
      member =>
        `  ${member.name.padEnd(width)}  ${member.address.padEnd(addresses)}  ${partOf(status, member).padEnd(12)}  version ${member.version}, had commit ${member.flushed} on disk when it last said so, node ${member.id}`
    ),
    ''
  ].join('\n')
}

const asJson = (status: Status, prefix: string): string => {
  const { foundation, state } = status
  const shown = {
    Prefix: prefix,
    Log: foundation.log.id,
    Leader: state.leader?.id ?? null,
    Term: state.leader?.epoch ?? null,
    Head: state.head.index,
    Hash: Buffer.from(state.head.hash).toString('hex'),
    Floor: state.floor,
    Servers: membersOf(status).map(member => ({
      ID: member.id,
      Name: member.name,
      Address: member.address,
      Version: member.version,
      Part: partOf(status, member),
      Flushed: member.flushed
    }))
  }
  return `${JSON.stringify(shown)}\n`
}

/** @throws SharedUnreachable */
export const clusterStatus = async (settings: Settings, { out }: Console, isJson: boolean): Promise<void> => {
  const { prefix } = settings.cluster.etcd
  const text = await withShared(settings, async shared => {
    const foundation = await shared.clusterSeed()
    if (!foundation)
      return isJson
        ? `${JSON.stringify({ Prefix: prefix, Log: null })}\n`
        : `There is no cluster under ${prefix} yet.\n`
    const [state, live, joined] = await Promise.all([shared.read(), shared.members(), shared.joined()])
    const status = { foundation, state, live, joined }
    return isJson ? asJson(status, prefix) : asText(status, prefix)
  })
  out.write(text)
}
