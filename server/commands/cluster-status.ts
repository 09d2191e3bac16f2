import type { ClusterSeed, Member, SharedState, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { ObservedMember } from '../../events/log/etcd/administration.js'
import type { EtcdMember, EtcdMemberStatus } from '../../events/log/etcd/member-messages.js'
import { readMemberList } from '../cluster/etcd/member-list.js'
import { withEtcd } from '../cluster/etcd/etcd-connection.js'
import type { Settings } from '../settings/settings.js'
import { UsageError, Failed } from '../../clients/cli/console.js'
import { table, type Content, type Output } from '../../clients/cli/remote/output.js'

/** @throws UsageError without etcd in the configuration */
export const requireEtcd = ({ cluster: { etcd } }: Pick<Settings, 'cluster'>): void => {
  if (etcd.endpoints.length === 0 && !etcd.managed)
    throw new UsageError('the configuration names no etcd (cluster.etcd.endpoints); see --config')
}

/** Passes the shared log to `use`, and closes it. @throws UsageError without etcd in the configuration; SharedUnreachable */
export const withShared = async <T>(
  settings: Settings,
  use: (shared: SharedLog) => Promise<T>
): Promise<T> => {
  requireEtcd(settings)
  const { sharedLogOf } = await import('../cluster/members/clustered-log.js')
  const shared = sharedLogOf(settings)
  try {
    return await use(shared)
  } finally {
    await shared.close()
  }
}

/** A member of etcd, as operators see it. */
const memberView = ({ member, status, fault, alarms }: ObservedMember) => ({
  ID: member.ID,
  Name: member.name ?? '',
  URL: member.clientURLs?.[0] ?? '',
  Part: etcdPart(member, status),
  Version: status?.version ?? null,
  DatabaseBytes: status ? Number(status.dbSize ?? 0) : null,
  DatabaseBytesInUse: status ? Number(status.dbSizeInUse ?? 0) : null,
  RaftIndex: status ? Number(status.raftIndex ?? 0) : null,
  Alarms: alarms,
  Fault: fault ?? null
})

const etcdPart = ({ ID, isLearner = false }: EtcdMember, status: EtcdMemberStatus | undefined): string => {
  if (!status) return 'not heard of'
  if (isLearner) return 'learns'
  return status.leader === ID ? 'leads' : 'follows'
}

interface Status {
  readonly etcd: readonly ObservedMember[]
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
    })),
    Etcd: status.etcd.map(memberView)
  }
}

type View = ReturnType<typeof viewOf>

const MEBIBYTE = 2 ** 20

/** Returns one row for each machine: members of a managed etcd have the names of their servers. */
const rowsOf = ({ Servers, Etcd }: View) => {
  const names = new Set([...Servers, ...Etcd].map(({ Name }) => Name))
  return [...names].map(Name => {
    const server = Servers.find(one => one.Name === Name)
    const member = Etcd.find(one => one.Name === Name)
    const { Address = member?.URL, Part = '', Version = '', Flushed = '', ID = '' } = server ?? {}
    const bytes = member?.DatabaseBytes ?? undefined
    return {
      Name,
      Address,
      Part,
      Version,
      Flushed,
      ID,
      Etcd: [member?.Part, ...(member?.Alarms ?? [])].join(' '),
      EtcdVersion: member?.Version ?? '',
      Database: bytes === undefined ? '' : `${(bytes / MEBIBYTE).toFixed(1)} MiB`,
      RaftIndex: member?.RaftIndex ?? ''
    }
  })
}

const asText = (view: View): Content => {
  const { Prefix, Log, Leader, Head, Floor, Servers, Etcd } = view
  return [
    `Cluster ${Prefix} (log ${Log}): ${Servers.find(({ ID }) => ID === Leader)?.Name ?? Leader ?? 'none'} leads, the newest commit is ${Head}, etcd has those from ${Floor} on.`,
    '',
    table(
      [
        'Name',
        'Address',
        'Part',
        'Version',
        ['Stored', 'Flushed'],
        'Etcd',
        ['Etcd version', 'EtcdVersion'],
        'Database',
        ['Raft index', 'RaftIndex'],
        'ID'
      ],
      rowsOf(view)
    ),
    ...Etcd.flatMap(({ Name, ID, Fault }) => (Fault === null ? [] : [`etcd member ${Name || ID}: ${Fault}`]))
  ]
}

/** Prints the state of the cluster in etcd. @throws Failed if etcd has no majority, after printing its members; SharedUnreachable */
export const clusterStatus = async (settings: Settings, out: Output): Promise<void> => {
  const { prefix, managed } = settings.cluster.etcd
  try {
    await withShared(settings, shared => showStatus(settings, shared, out))
  } catch (error) {
    if (!managed || !(error instanceof Error) || error.name !== 'SharedUnreachable') throw error
    const listed = readMemberList(settings).map(({ name, client }) => ({
      ID: name,
      name,
      clientURLs: [client]
    }))
    const Etcd = (await withEtcd(settings, admin => admin.observeListed(listed))).map(memberView)
    out.show({ Prefix: prefix, Leader: null, Etcd }, view =>
      table(['Name', 'URL', 'Part', 'Version', 'Fault'], view.Etcd)
    )
    throw new Failed(
      `etcd does not answer: start most of its members; if they are lost, see annals cluster restore-quorum (${error.message})`
    )
  }
}

const showStatus = async (settings: Settings, shared: SharedLog, out: Output): Promise<void> => {
  const { prefix } = settings.cluster.etcd
  const foundation = await shared.clusterSeed()
  if (!foundation)
    return out.show({ Prefix: prefix, Log: null }, () => `There is no cluster under ${prefix} yet.`)
  const [state, { live, joined }, etcd] = await Promise.all([
    shared.read(),
    shared.members(),
    withEtcd(settings, admin => admin.observe())
  ])
  out.show(viewOf({ foundation, state, live, joined, etcd }, prefix), asText)
}
