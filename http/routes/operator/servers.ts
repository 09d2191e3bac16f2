// The servers of the cluster as operators see them: this one, which leads and votes alone.
import { formatTime } from '../../../events/time.js'
import type { ApiRequest } from '../../wire/request.js'
import { serverAddress } from './status.js'
import { COMPATIBLE_VERSION } from '../../program/version.js'

/** Of a cluster without elections. */
const TERM = 1
const PROTOCOL_VERSION = '3'
/** A server that leads is in touch with its leader. */
const NO_TIME = '0s'

const ALIVE = 'alive'

/** Since when this server has been as it is: its start, in whole seconds. */
const stableSince = (): string => formatTime(Math.floor(performance.timeOrigin / 1000) * 1000)

/** Who is in the cluster. */
export const raftServers = ({ settings, views }: ApiRequest) => ({
  Servers: [
    {
      ID: settings.node_id,
      Node: settings.node_name,
      Address: serverAddress(settings),
      Leader: true,
      ProtocolVersion: PROTOCOL_VERSION,
      Voter: true,
      LastIndex: views.index
    }
  ],
  Index: TERM
})

const identity = ({ settings }: ApiRequest) => ({
  ID: settings.node_id,
  Name: settings.node_name,
  Address: serverAddress(settings)
})

const condition = ({ views, committer }: ApiRequest) => ({
  Version: COMPATIBLE_VERSION,
  LastContact: NO_TIME,
  LastTerm: TERM,
  LastIndex: views.index,
  Healthy: committer.isWritable,
  StableSince: stableSince()
})

/** How the servers are. One that cannot write its log is not healthy. */
export const serverHealth = (request: ApiRequest) => {
  const { Version, ...rest } = condition(request)
  return {
    Healthy: rest.Healthy,
    FailureTolerance: 0,
    Servers: [{ ...identity(request), SerfStatus: ALIVE, Version, Leader: true, Voter: true, ...rest }]
  }
}

/** How the servers are, by ID, and who leads and votes. */
export const serverStates = (request: ApiRequest) => {
  const { node_id, node_meta } = request.settings
  const { Healthy, ...rest } = condition(request)
  const server = {
    ...identity(request),
    NodeStatus: ALIVE,
    ...rest,
    Healthy,
    ReadReplica: false,
    Status: 'leader',
    Meta: node_meta,
    NodeType: 'voter'
  }
  return {
    Healthy,
    FailureTolerance: 0,
    OptimisticFailureTolerance: 0,
    Servers: { [node_id]: server },
    Leader: node_id,
    Voters: [node_id]
  }
}
