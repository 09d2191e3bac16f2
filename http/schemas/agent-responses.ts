// Responses about the agent, its services and its checks (spec: state.md §8).
import * as Type from 'typebox'
import { checkResource } from '../../events/check.js'
import { agentServiceFields } from '../../projections/catalog/json.js'
import { healthCheck, SERVICE, coord } from './catalog-responses.js'
import { viewFields } from '../../events/definition/forms/forms.js'
import { viewExample } from './definition-schemas.js'
import { exampleOf, sample, schemasOf, view } from './view.js'

/** A service in the agent's responses. */
export const agentService = Type.Object(viewFields(agentServiceFields, 'shown'), {
  $id: 'AgentService',
  examples: [{ ...SERVICE, Meta: {}, Datacenter: 'dc1' }]
})

/** The services of the agent, by ID. */
export const agentServicesById = Type.Record(Type.String(), agentService)

/** The checks of the agent, by ID. */
export const agentChecksById = Type.Record(Type.String(), healthCheck)

const status = Type.String({
  description: 'passing, warning or critical; critical if there is no such service',
  examples: ['passing']
})

const unfilledDefinition = {
  Interval: sample.text('0s'),
  Timeout: sample.text('0s'),
  DeregisterCriticalServiceAfter: sample.text('0s'),
  HTTP: sample.text(''),
  Header: sample.of(null, Type.Null()),
  Method: sample.text(''),
  Body: sample.text(''),
  TLSServerName: sample.text(''),
  TLSSkipVerify: sample.flag(false),
  TCP: sample.text(''),
  GRPC: sample.text(''),
  GRPCUseTLS: sample.flag(false)
}

/** The definition of every check in the health of an agent's service, as the reference shows it. */
export const UNFILLED_DEFINITION = exampleOf(unfilledDefinition)

const {
  Interval: _interval,
  Timeout: _timeout,
  ExposedPort: _exposedPort,
  Definition: _definition,
  ...checkFields
} = checkResource.fields
const checkExample = viewExample({ ...checkResource, fields: checkFields }, 'shown')

/** A check in the health of an agent's service. */
const agentHealthCheck = Type.Object(
  {
    ...viewFields(checkFields, 'shown'),
    Definition: Type.Object(schemasOf(unfilledDefinition), { description: 'Always unfilled' })
  },
  { $id: 'AgentHealthCheck', examples: [{ ...checkExample, Type: '', Definition: UNFILLED_DEFINITION }] }
)

/** The health of a service of the agent. */
export const agentServiceHealth = view('AgentServiceHealth', {
  AggregatedStatus: status,
  Service: agentService,
  Checks: Type.Array(agentHealthCheck)
})

/** The health of a service that does not exist. */
export const noAgentServiceHealth = Type.Object({
  AggregatedStatus: status,
  Service: Type.Null(),
  Checks: Type.Null()
})

/** A server of the cluster. */
export const memberView = view('Member', {
  Name: sample.text('server-1'),
  Addr: sample.text('127.0.0.1'),
  Port: sample.integer(8301),
  Tags: sample.of({ role: 'consul', dc: 'dc1' }, Type.Record(Type.String(), Type.String())),
  Status: sample.integer(1, '1: alive'),
  ProtocolMin: sample.integer(1),
  ProtocolMax: sample.integer(5),
  ProtocolCur: sample.integer(2),
  DelegateMin: sample.integer(2),
  DelegateMax: sample.integer(5),
  DelegateCur: sample.integer(4)
})

const shown = (name: string) => Type.String({ examples: [name] })
const group = Type.Record(Type.String(), Type.Unknown(), { examples: [{}] })

/** The server's own configuration and state. */
export const agentSelf = view('AgentSelf', {
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
  Stats: Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
    examples: [{ raft: { state: 'Leader' } }]
  }),
  Meta: Type.Record(Type.String(), Type.String(), { examples: [{}] })
})

/** The machine that the server runs on. Memory in bytes, times in seconds. */
export const host = view('Host', {
  Memory: Type.Object({ total: Type.Integer(), available: Type.Integer(), used: Type.Integer() }),
  CPU: Type.Array(Type.Object({ cpu: Type.Integer(), modelName: shown('Example CPU'), mhz: Type.Number() })),
  Host: Type.Object({
    hostname: shown('server-1.example'),
    uptime: Type.Integer(),
    os: shown('linux'),
    kernelVersion: shown('6.12.0'),
    load: Type.Array(Type.Number())
  }),
  Disk: Type.Optional(
    Type.Object(
      {
        path: shown('/var/lib/annals'),
        total: Type.Integer(),
        free: Type.Integer(),
        used: Type.Integer(),
        usedPercent: Type.Number()
      },
      {
        description:
          'The file system of the data folder, in bytes; absent if that cannot be read. `free` is available to the server'
      }
    )
  ),
  CollectionTime: Type.Integer({ description: 'Nanoseconds since 1970' }),
  Errors: Type.Null()
})

const labels = Type.Record(Type.String(), Type.String(), { examples: [{}] })
const measured = view('Measured', {
  Name: shown('annals.http.requests'),
  Count: Type.Integer(),
  Rate: Type.Number(),
  Sum: Type.Number(),
  Min: Type.Number(),
  Max: Type.Number(),
  Mean: Type.Number(),
  Stddev: Type.Number(),
  Labels: labels
})

/** The server's metrics. */
export const metricsView = view('Metrics', {
  Timestamp: shown('2026-03-01 12:00:00 +0000 UTC'),
  Gauges: Type.Array(Type.Object({ Name: shown('annals_log_bytes'), Value: Type.Number(), Labels: labels })),
  Points: Type.Array(Type.Unknown(), { examples: [[]] }),
  Counters: Type.Array(measured),
  Samples: Type.Array(measured)
})
