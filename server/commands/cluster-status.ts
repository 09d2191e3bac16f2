import type { ClusterSeed, Member, SharedState, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Settings } from '../settings/settings.js'
import { UsageError } from '../../clients/cli/console.js'
import { table, type Content, type Output } from '../../clients/cli/remote/output.js'

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

const viewOf = (status: Status, prefix: string) => {
  const { foundation, state } = status
  return {
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
}

const asText = ({ Prefix, Log, Leader, Head, Floor, Servers }: ReturnType<typeof viewOf>): Content => [
  `Cluster ${Prefix} (log ${Log}): ${Servers.find(({ ID }) => ID === Leader)?.Name ?? Leader ?? 'none'} leads, the newest commit is ${Head}, etcd has those from ${Floor} on.`,
  '',
  table(['Name', 'Address', 'Part', 'Version', ['Stored', 'Flushed'], 'ID'], Servers)
]

/** Prints the state of the cluster in etcd. @throws SharedUnreachable */
export const clusterStatus = async (settings: Settings, out: Output): Promise<void> => {
  const { prefix } = settings.cluster.etcd
  await withShared(settings, async shared => {
    const foundation = await shared.clusterSeed()
    if (!foundation)
      return out.show({ Prefix: prefix, Log: null }, () => `There is no cluster under ${prefix} yet.`)
    const [state, live, joined] = await Promise.all([shared.read(), shared.members(), shared.joined()])
    out.show(viewOf({ foundation, state, live, joined }, prefix), asText)
  })
}
