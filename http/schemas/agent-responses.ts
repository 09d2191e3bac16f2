// What the agent shows of itself, its services and its checks (spec: state.md §8).
import * as Type from 'typebox'
import { checkResource } from '../../events/check.js'
import { agentServiceFields } from '../../projections/catalog/service-views.js'
import { healthCheck, SERVICE } from './catalog-responses.js'
import { viewExample, viewFields } from './definition-schemas.js'
import { coord } from './coordinates.js'

const {
  CreateIndex: _made,
  ModifyIndex: _changed,
  ...content
} = { CreateIndex: 0, ModifyIndex: 0, ...SERVICE, Meta: {}, Datacenter: 'dc1' }

/** A service as the agent shows it. */
export const agentService = Type.Object(viewFields(agentServiceFields, 'shown'), {
  $id: 'AgentService',
  examples: [content]
})

/** The services of the agent, by ID. */
export const agentServicesById = Type.Record(Type.String(), agentService)

/** The checks of the agent, by ID. */
export const agentChecksById = Type.Record(Type.String(), healthCheck)

const status = Type.String({
  description: 'passing, warning or critical; critical if there is no such service',
  examples: ['passing']
})

/** What the reference shows as the definition of every check in the health of a service of the agent. */
export const UNFILLED_DEFINITION = {
  Interval: '0s',
  Timeout: '0s',
  DeregisterCriticalServiceAfter: '0s',
  HTTP: '',
  Header: null,
  Method: '',
  Body: '',
  TLSServerName: '',
  TLSSkipVerify: false,
  TCP: '',
  GRPC: '',
  GRPCUseTLS: false
}

const {
  Interval: _interval,
  Timeout: _timeout,
  ExposedPort: _exposedPort,
  Definition: _definition,
  ...checkFields
} = checkResource.fields
const checkExample = viewExample({ ...checkResource, fields: checkFields }, 'shown')

/** A check as the health of a service of the agent shows it. */
const agentHealthCheck = Type.Object(
  {
    ...viewFields(checkFields, 'shown'),
    Definition: Type.Object(
      {
        Interval: Type.String(),
        Timeout: Type.String(),
        DeregisterCriticalServiceAfter: Type.String(),
        HTTP: Type.String(),
        Header: Type.Null(),
        Method: Type.String(),
        Body: Type.String(),
        TLSServerName: Type.String(),
        TLSSkipVerify: Type.Boolean(),
        TCP: Type.String(),
        GRPC: Type.String(),
        GRPCUseTLS: Type.Boolean()
      },
      { description: 'Always unfilled' }
    )
  },
  { $id: 'AgentHealthCheck', examples: [{ ...checkExample, Type: '', Definition: UNFILLED_DEFINITION }] }
)

/** The health of a service of the agent. */
export const agentServiceHealth = Type.Object(
  { AggregatedStatus: status, Service: agentService, Checks: Type.Array(agentHealthCheck) },
  { $id: 'AgentServiceHealth' }
)

/** The same of one that does not exist. */
export const noAgentServiceHealth = Type.Object({
  AggregatedStatus: status,
  Service: Type.Null(),
  Checks: Type.Null()
})

/** A server of the cluster, as its members know it. */
export const memberView = Type.Object(
  {
    Name: Type.String(),
    Addr: Type.String(),
    Port: Type.Integer(),
    Tags: Type.Record(Type.String(), Type.String()),
    Status: Type.Integer({ description: '1: alive' }),
    ProtocolMin: Type.Integer(),
    ProtocolMax: Type.Integer(),
    ProtocolCur: Type.Integer(),
    DelegateMin: Type.Integer(),
    DelegateMax: Type.Integer(),
    DelegateCur: Type.Integer()
  },
  {
    $id: 'Member',
    examples: [
      {
        Name: 'server-1',
        Addr: '127.0.0.1',
        Port: 8301,
        Tags: { role: 'consul', dc: 'dc1' },
        Status: 1,
        ProtocolMin: 1,
        ProtocolMax: 5,
        ProtocolCur: 2,
        DelegateMin: 2,
        DelegateMax: 5,
        DelegateCur: 4
      }
    ]
  }
)

const shown = (name: string) => Type.String({ examples: [name] })
const group = Type.Record(Type.String(), Type.Unknown(), { examples: [{}] })

/** What the server says of itself. */
export const agentSelf = Type.Object(
  {
    Config: Type.Object({
      Datacenter: shown('dc1'),
      PrimaryDatacenter: shown('dc1'),
      NodeName: shown('server-1'),
      NodeID: shown('e88f2e2e-ae7d-859c-807e-5f0a24b4e1a5'),
      Revision: shown('annals-0.1.0'),
      Server: Type.Boolean(),
      Version: Type.String({ description: 'The version that clients go by', examples: ['1.10.11'] })
    }),
    DebugConfig: group,
    Coord: coord,
    Member: memberView,
    Stats: Type.Record(Type.String(), group, { examples: [{ raft: { state: 'Leader' } }] }),
    Meta: Type.Record(Type.String(), Type.String(), { examples: [{}] })
  },
  { $id: 'AgentSelf' }
)

/** The machine that the server runs on. Memory in bytes, times in seconds. */
export const host = Type.Object(
  {
    Memory: Type.Object({ total: Type.Integer(), available: Type.Integer(), used: Type.Integer() }),
    CPU: Type.Array(
      Type.Object({ cpu: Type.Integer(), modelName: shown('Example CPU'), mhz: Type.Number() })
    ),
    Host: Type.Object({
      hostname: shown('server-1.example'),
      uptime: Type.Integer(),
      os: shown('linux'),
      kernelVersion: shown('6.12.0'),
      load: Type.Array(Type.Number())
    }),
    CollectionTime: Type.Integer({ description: 'Nanoseconds since 1970' }),
    Errors: Type.Null()
  },
  { $id: 'Host' }
)

const labels = Type.Record(Type.String(), Type.String(), { examples: [{}] })
const measured = Type.Object(
  {
    Name: shown('annals.http.requests'),
    Count: Type.Integer(),
    Rate: Type.Number(),
    Sum: Type.Number(),
    Min: Type.Number(),
    Max: Type.Number(),
    Mean: Type.Number(),
    Stddev: Type.Number(),
    Labels: labels
  },
  { $id: 'Measured' }
)

/** What the server counts about itself. */
export const metricsView = Type.Object(
  {
    Timestamp: shown('2026-03-01 12:00:00 +0000 UTC'),
    Gauges: Type.Array(
      Type.Object({ Name: shown('annals_log_bytes'), Value: Type.Number(), Labels: labels })
    ),
    Points: Type.Array(Type.Unknown(), { examples: [[]] }),
    Counters: Type.Array(measured),
    Samples: Type.Array(measured)
  },
  { $id: 'Metrics' }
)
