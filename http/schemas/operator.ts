// Bodies and responses about the servers of the cluster.
import * as Type from 'typebox'
import { indexesAt, flag, strict, text, exampleOf, sample, view } from './view.js'

const autopilot = {
  CleanupDeadServers: sample.flag(true),
  LastContactThreshold: sample.text('200ms', 'Duration'),
  MaxTrailingLogs: sample.integer(250),
  MinQuorum: sample.integer(0),
  ServerStabilizationTime: sample.text('10s', 'Duration'),
  RedundancyZoneTag: sample.text(''),
  DisableUpgradeMigration: sample.flag(false),
  UpgradeVersionTag: sample.text('')
}
const SERVER_ID = 'e88f2e2e-ae7d-859c-807e-5f0a24b4e1a5'
const SERVER_ADDRESS = '127.0.0.1:8300'

const unsigned = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const duration = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description: `${description}: a duration such as 200ms, or a number of nanoseconds`
    })
  )

const setByService = Type.Optional(Type.Integer({ description: 'Set by the service' }))

/** Absent fields are zero, as on the reference, since a write replaces all fields. */
export const autopilotBody = strict(
  {
    CleanupDeadServers: flag('Whether dead servers are removed when a new one joins'),
    LastContactThreshold: duration('How long a server may be without its leader'),
    MaxTrailingLogs: unsigned('How many commits a server may be behind'),
    MinQuorum: unsigned('Below so many servers none is removed'),
    ServerStabilizationTime: duration('How long a new server must be healthy before it counts'),
    RedundancyZoneTag: text('Key of the node metadata that tells zones'),
    DisableUpgradeMigration: flag('Whether servers of a newer version wait to be asked'),
    UpgradeVersionTag: text('Key of the node metadata that tells versions'),
    CreateIndex: setByService,
    ModifyIndex: setByService
  },
  { $id: 'AutopilotInput', examples: [exampleOf(autopilot)] }
)

export const autopilotConfiguration = view('Autopilot', { ...autopilot, ...indexesAt(5) })

const condition = {
  ID: Type.String({ examples: [SERVER_ID] }),
  Name: Type.String({ examples: ['server-1'] }),
  Address: Type.String({ examples: [SERVER_ADDRESS] }),
  LastContact: Type.String({ description: 'Duration', examples: ['0s'] }),
  LastTerm: Type.Integer(),
  LastIndex: Type.Integer(),
  Healthy: Type.Boolean(),
  StableSince: Type.String({ examples: ['2026-03-01T12:00:00Z'] })
}
const version = Type.String({ examples: ['1.10.11'] })

const serverHealth = view('ServerHealth', {
  ...condition,
  SerfStatus: Type.String({ examples: ['alive'] }),
  Version: version,
  Leader: Type.Boolean(),
  Voter: Type.Boolean()
})

export const autopilotHealth = view('AutopilotHealth', {
  Healthy: Type.Boolean({ description: 'False, with status 429, while the log cannot be written' }),
  FailureTolerance: Type.Integer({ examples: [0] }),
  Servers: Type.Array(serverHealth)
})

const serverState = view('ServerState', {
  ...condition,
  NodeStatus: Type.String({ examples: ['alive'] }),
  Version: version,
  ReadReplica: Type.Boolean({ examples: [false] }),
  Status: Type.String({ examples: ['leader'] }),
  Meta: Type.Record(Type.String(), Type.String(), { examples: [{}] }),
  NodeType: Type.String({ examples: ['voter'] })
})

export const autopilotState = view('AutopilotState', {
  Healthy: Type.Boolean(),
  FailureTolerance: Type.Integer({ examples: [0] }),
  OptimisticFailureTolerance: Type.Integer({ examples: [0] }),
  Servers: Type.Record(Type.String(), serverState, { description: 'By ID' }),
  Leader: Type.String({ examples: [SERVER_ID] }),
  Voters: Type.Array(Type.String({ examples: [SERVER_ID] }))
})

const raftServer = view('RaftServer', {
  ID: sample.text(SERVER_ID),
  Node: sample.text('server-1'),
  Address: sample.text(SERVER_ADDRESS),
  Leader: sample.flag(true),
  ProtocolVersion: sample.text('3'),
  Voter: sample.flag(true),
  LastIndex: sample.integer(42)
})

export const raftConfiguration = view('RaftConfiguration', {
  Servers: Type.Array(raftServer),
  Index: Type.Integer()
})
