// The servers of the cluster in the forms in which operators ask for them.
import { formatDuration, MILLISECOND } from '../../../events/duration.js'
import { formatTime } from '../../../events/time.js'
import type { Server, Servers } from './cluster-servers.js'
import { COMPATIBLE_VERSION } from '../../../events/version.js'
import { addressOf } from './status.js'

const PROTOCOL_VERSION = '3'

/** Who is in the cluster. */
export const raftServers = (servers: Servers) => ({
  Servers: servers.list().map(server => ({
    ID: server.id,
    Node: server.name,
    Address: addressOf(server),
    Leader: server.isLeader,
    ProtocolVersion: PROTOCOL_VERSION,
    Voter: true,
    LastIndex: server.lastIndex
  })),
  // As the reference answers: the configuration has no index of its own.
  Index: 0
})

const statusOf = ({ isLive }: Server): string => (isLive ? 'alive' : 'failed')

const condition = (server: Server, term: number) => ({
  Version: COMPATIBLE_VERSION,
  LastContact: formatDuration(server.lastContact * MILLISECOND),
  LastTerm: term,
  LastIndex: server.lastIndex,
  Healthy: server.isHealthy,
  StableSince: formatTime(server.since)
})

const identity = (server: Server) => ({ ID: server.id, Name: server.name, Address: addressOf(server) })

/** All of them do their part, and one leads. */
const isHealthy = (servers: Servers): boolean =>
  servers.leader() !== undefined && servers.list().every(server => server.isHealthy)

/** How the servers are. */
export const serverHealth = (servers: Servers) => ({
  Healthy: isHealthy(servers),
  FailureTolerance: servers.tolerance(),
  Servers: servers.list().map(server => {
    const { Version, ...rest } = condition(server, servers.term())
    return {
      ...identity(server),
      SerfStatus: statusOf(server),
      Version,
      Leader: server.isLeader,
      Voter: true,
      ...rest
    }
  })
})

/** How the servers are, by ID, and who leads and votes. */
export const serverStates = (servers: Servers) => {
  const list = servers.list()
  const states = list.map(server => {
    const { Healthy, ...rest } = condition(server, servers.term())
    const state = {
      ...identity(server),
      NodeStatus: statusOf(server),
      ...rest,
      Healthy,
      ReadReplica: false,
      Status: server.isLeader ? 'leader' : 'voter',
      Meta: server.meta,
      NodeType: 'voter'
    }
    return [server.id, state] as const
  })
  return {
    Healthy: isHealthy(servers),
    FailureTolerance: servers.tolerance(),
    OptimisticFailureTolerance: servers.tolerance(),
    Servers: Object.fromEntries(states),
    Leader: servers.leader()?.id ?? '',
    Voters: list.map(({ id }) => id)
  }
}
