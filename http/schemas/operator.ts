// Bodies and answers about the servers of the cluster.
import * as Type from 'typebox'
import { flag, strict, text } from './strict.js'

const unsigned = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const duration = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description: `${description}: a duration such as 200ms, or a number of nanoseconds`
    })
  )

/** What is not given is zero, as on the reference: a write replaces all of it. */
export const autopilotBody = strict({
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
})

export const autopilotConfiguration = Type.Object({
  CleanupDeadServers: Type.Boolean(),
  LastContactThreshold: Type.String({ description: 'A duration' }),
  MaxTrailingLogs: Type.Integer(),
  MinQuorum: Type.Integer(),
  ServerStabilizationTime: Type.String({ description: 'A duration' }),
  RedundancyZoneTag: Type.String(),
  DisableUpgradeMigration: Type.Boolean(),
  UpgradeVersionTag: Type.String(),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
})

const anything = Type.Object({}, { additionalProperties: true })

export const autopilotHealth = Type.Object({
  Healthy: Type.Boolean({ description: 'False, with status 429, while the log cannot be written' }),
  FailureTolerance: Type.Integer(),
  Servers: Type.Array(anything)
})

export const autopilotState = Type.Object({
  Healthy: Type.Boolean(),
  FailureTolerance: Type.Integer(),
  OptimisticFailureTolerance: Type.Integer(),
  Servers: Type.Record(Type.String(), anything),
  Leader: Type.String(),
  Voters: Type.Array(Type.String())
})

export const raftConfiguration = Type.Object({
  Servers: Type.Array(
    Type.Object({
      ID: Type.String(),
      Node: Type.String(),
      Address: Type.String(),
      Leader: Type.Boolean(),
      ProtocolVersion: Type.String(),
      Voter: Type.Boolean(),
      LastIndex: Type.Integer()
    })
  ),
  Index: Type.Integer()
})
