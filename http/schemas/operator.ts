// Bodies and answers about the servers of the cluster.
import * as Type from 'typebox'
import { indexView } from './shared-views.js'
import { flag, strict, text } from './strict.js'

const AUTOPILOT = {
  CleanupDeadServers: true,
  LastContactThreshold: '200ms',
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: '10s',
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: ''
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

/** What is not given is zero, as on the reference: a write replaces all of it. */
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
    CreateIndex: Type.Optional(Type.Integer({ description: 'Set by the service' })),
    ModifyIndex: Type.Optional(Type.Integer({ description: 'Set by the service' }))
  },
  { $id: 'AutopilotInput', examples: [AUTOPILOT] }
)

export const autopilotConfiguration = Type.Object(
  {
    CleanupDeadServers: Type.Boolean(),
    LastContactThreshold: Type.String({ description: 'Duration' }),
    MaxTrailingLogs: Type.Integer(),
    MinQuorum: Type.Integer(),
    ServerStabilizationTime: Type.String({ description: 'Duration' }),
    RedundancyZoneTag: Type.String(),
    DisableUpgradeMigration: Type.Boolean(),
    UpgradeVersionTag: Type.String(),
    ...indexView
  },
  { $id: 'Autopilot', examples: [{ ...AUTOPILOT, CreateIndex: 5, ModifyIndex: 5 }] }
)

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

export const autopilotHealth = Type.Object(
  {
    Healthy: Type.Boolean({ description: 'False, with status 429, while the log cannot be written' }),
    FailureTolerance: Type.Integer({ examples: [0] }),
    Servers: Type.Array(
      Type.Object(
        {
          ...condition,
          SerfStatus: Type.String({ examples: ['alive'] }),
          Version: version,
          Leader: Type.Boolean(),
          Voter: Type.Boolean()
        },
        { $id: 'ServerHealth' }
      )
    )
  },
  { $id: 'AutopilotHealth' }
)

const serverState = Type.Object(
  {
    ...condition,
    NodeStatus: Type.String({ examples: ['alive'] }),
    Version: version,
    ReadReplica: Type.Boolean({ examples: [false] }),
    Status: Type.String({ examples: ['leader'] }),
    Meta: Type.Record(Type.String(), Type.String(), { examples: [{}] }),
    NodeType: Type.String({ examples: ['voter'] })
  },
  { $id: 'ServerState' }
)

export const autopilotState = Type.Object(
  {
    Healthy: Type.Boolean(),
    FailureTolerance: Type.Integer({ examples: [0] }),
    OptimisticFailureTolerance: Type.Integer({ examples: [0] }),
    Servers: Type.Record(Type.String(), serverState, { description: 'By ID' }),
    Leader: Type.String({ examples: [SERVER_ID] }),
    Voters: Type.Array(Type.String({ examples: [SERVER_ID] }))
  },
  { $id: 'AutopilotState' }
)

const raftServer = Type.Object(
  {
    ID: Type.String(),
    Node: Type.String(),
    Address: Type.String(),
    Leader: Type.Boolean(),
    ProtocolVersion: Type.String(),
    Voter: Type.Boolean(),
    LastIndex: Type.Integer()
  },
  {
    $id: 'RaftServer',
    examples: [
      {
        ID: SERVER_ID,
        Node: 'server-1',
        Address: SERVER_ADDRESS,
        Leader: true,
        ProtocolVersion: '3',
        Voter: true,
        LastIndex: 42
      }
    ]
  }
)

export const raftConfiguration = Type.Object(
  { Servers: Type.Array(raftServer), Index: Type.Integer() },
  { $id: 'RaftConfiguration' }
)
