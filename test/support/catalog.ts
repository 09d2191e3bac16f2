// Minimal registrations for tests.
import { catalogAggregate, type Deregister, type Register } from '../../actors/catalog/catalog.js'
import type { CheckInput } from '../../events/check.js'
import type { NodeInput } from '../../events/node.js'
import type { ServiceInput } from '../../events/service.js'
import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/read-models.js'
import { command, viewsAfter } from './decision-spec.js'

export const nodeInput = (Node: string, more: Partial<NodeInput> = {}): NodeInput => ({
  ID: '',
  Node,
  Address: '10.0.0.1',
  Datacenter: '',
  TaggedAddresses: null,
  Meta: null,
  ...more
})

export const serviceInput = (Service: string, more: Partial<ServiceInput> = {}): ServiceInput => ({
  Kind: '',
  ID: Service,
  Service,
  Tags: null,
  Address: '',
  TaggedAddresses: null,
  Meta: null,
  Port: 0,
  SocketPath: '',
  Weights: { Passing: 1, Warning: 1 },
  EnableTagOverride: false,
  Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
  Connect: {},
  ...more
})

export const checkInput = (Node: string, CheckID: string, more: Partial<CheckInput> = {}): CheckInput => ({
  Node,
  CheckID,
  Name: CheckID,
  Status: 'passing',
  Notes: '',
  Output: '',
  ServiceID: '',
  ServiceName: '',
  ServiceTags: null,
  Type: '',
  Interval: '',
  Timeout: '',
  ExposedPort: 0,
  Definition: {},
  ...more
})

interface Registration {
  readonly service?: ServiceInput
  readonly checks?: readonly CheckInput[]
  readonly skipNodeUpdate?: boolean
}

export const register = (
  node: NodeInput,
  { service, checks = [], skipNodeUpdate = false }: Registration = {}
): Register =>
  command('Register', {
    node,
    skipNodeUpdate,
    service,
    serviceNamespace: undefined,
    checks: checks.map(input => ({ input, namespace: undefined }))
  })

/** Returns the events of a registration in an empty catalog. */
export const registered = (node: NodeInput, registration: Registration = {}): readonly Event[] =>
  perform(viewsAfter([]), register(node, registration))

export const deregister = (node: string, { serviceId = '', checkId = '' } = {}): Deregister =>
  command('Deregister', { node, serviceId, checkId })

/** Executes commands one after another, each in a commit of its own. */
export const perform = (views: Views, ...commands: readonly (Register | Deregister)[]): readonly Event[] =>
  commands.flatMap(asked => {
    const Index = views.index + 1
    const Events = catalogAggregate.decide(asked, views, Index)
    if (Events.length === 0) return []
    const By = { AccessorID: '', Address: '', RequestID: '', Command: asked.name }
    views.apply({ Index, Time: '2026-01-01T00:00:00Z', By, Events })
    return Events
  })
