// Decisions on the services and checks of the server's own node (spec: state.md §8).
import test from 'ava'
import {
  agentAggregate,
  type AgentCheck,
  type AgentCommand,
  type AgentService
} from '../../actors/agent/agent.js'
import type { CheckInput } from '../../events/check.js'
import { sessionAggregate } from '../../actors/session.js'
import type { Event } from '../../events/envelope.js'
import { checkInput, nodeInput, registered, serviceInput } from '../support/catalog.js'
import { command, given } from '../support/decision-spec.js'
import { id } from './acl-resources.js'

const team = { partition: 'default', namespace: 'team' }
const node = registered(nodeInput('n'))
const after = (history: readonly Event[], asked: AgentCommand): readonly Event[] => [
  ...history,
  ...given(...history)
    .when(agentAggregate, asked)
    .events()
]
const check = (CheckID: string, parts: Partial<CheckInput> = {}, runner = {}): AgentCheck => ({
  input: checkInput('n', CheckID, parts),
  runner
})
const ofWeb = (CheckID: string, parts: Partial<CheckInput> = {}): AgentCheck =>
  check(CheckID, { ServiceID: 'web', ...parts })
const services = (replaceChecks: boolean, ...of: readonly AgentService[]) =>
  command('RegisterAgentServices', { node: 'n', services: of, replaceChecks })
const web = (...checks: readonly AgentCheck[]): AgentService => ({ service: serviceInput('web'), checks })
const deregister = (of: string) => command('DeregisterAgentService', { node: 'n', id: of })
const sidecar = (destination: string): AgentService => ({
  service: serviceInput('web-sidecar-proxy', {
    Kind: 'connect-proxy',
    Port: 21000,
    Proxy: {
      DestinationServiceName: destination,
      DestinationServiceID: destination,
      Mode: '',
      MeshGateway: {},
      Expose: {}
    }
  }),
  checks: []
})
const found = (of: string, status: string, output = '') =>
  command('UpdateAgentCheck', { node: 'n', id: of, status, output })
const maintenance = (isOn: boolean, service?: string, reason = '') =>
  command('SetMaintenance', { node: 'n', service, isOn, reason })
const withWeb = after(node, services(false, web(ofWeb('c'))))

test('a service is stored as the agent`s, its checks after it with what the agent does to find their status', t =>
  given(...node)
    .when(
      agentAggregate,
      services(false, web(check('c', { ServiceID: 'web' }, { TCP: 'x:1', Interval: '10s' })))
    )
    .gives(
      t,
      ['ServiceRegistration web', { Service: { Agent: true, Node: 'n' } }],
      ['CheckRegistration c', { Check: { ServiceName: 'web', Runner: { TCP: 'x:1', Interval: '10s' } } }]
    ))

test('a service comes with its sidecar in one commit', t =>
  given(...node)
    .when(agentAggregate, services(false, web(ofWeb('c')), sidecar('web')))
    .gives(t, 'ServiceRegistration web', 'CheckRegistration c', [
      'ServiceRegistration web-sidecar-proxy',
      { Service: { Proxy: { DestinationServiceID: 'web' } } }
    ]))

test('checks that are not named stay', t =>
  given(...withWeb)
    .when(agentAggregate, services(false, web(ofWeb('d'))))
    .gives(t, 'CheckRegistration d'))

test('checks of the service that are not named go where they are to be replaced, whatever their letter case', t =>
  given(...after(withWeb, services(false, web(ofWeb('other')))), ...registered(nodeInput('m')))
    .when(agentAggregate, services(true, web(ofWeb('C'))))
    .gives(t, 'CheckDeregistration other', 'CheckRegistration C'))

test('a service that breaks a rule is refused with all that come with it', t =>
  given(...node)
    .when(agentAggregate, services(false, web(), { service: serviceInput('', { ID: 'a' }), checks: [] }))
    .refuses(t, 'catalog.invalid', /service name/))

test('the end of a service takes its checks and its own sidecar along', t =>
  given(...after(withWeb, services(false, sidecar('web'))))
    .when(agentAggregate, deregister('WEB'))
    .gives(
      t,
      'CheckDeregistration c',
      ['ServiceDeregistration web', { Service: { ServiceName: 'web', Agent: true } }],
      'ServiceDeregistration web-sidecar-proxy'
    ))

test('a deregistration keeps proxies of other services and proxies registered in the catalog', t => {
  const events = ['CheckDeregistration c', 'ServiceDeregistration web']
  given(...after(withWeb, services(false, sidecar('db'))))
    .when(agentAggregate, deregister('web'))
    .gives(t, ...events)
  const { service } = sidecar('web')
  const byCatalog = registered(nodeInput('n'), { service }).filter(({ Topic }) => Topic === 'Service')
  given(...withWeb, ...byCatalog)
    .when(agentAggregate, deregister('web'))
    .gives(t, ...events)
})

test('an unknown service cannot be deregistered, nor one of another namespace', t => {
  given(...node)
    .when(agentAggregate, deregister('web'))
    .refuses(t, 'agent.not-found', 'Unknown service "web"')
  given(...withWeb)
    .when(agentAggregate, { ...deregister('web'), tenancy: team })
    .refuses(t, 'agent.not-found', 'Unknown service "web"')
})

test('a check of the node changes what the node is', t =>
  given(...node)
    .when(agentAggregate, command('RegisterAgentCheck', check('c', { Status: 'critical' })))
    .gives(t, ['CheckRegistration c', { Check: { Status: 'critical', Runner: {} } }], 'NodeEvent n'))

test('a check of a service needs that service', t =>
  given(...node)
    .when(agentAggregate, command('RegisterAgentCheck', ofWeb('c')))
    .refuses(t, 'agent.invalid', 'ServiceID "web" does not exist'))

test('a check is found in any letter case, in the namespace or on the node itself', t => {
  const remove = (of: string) => command('DeregisterAgentCheck', { node: 'n', id: of })
  given(...withWeb)
    .when(agentAggregate, remove('C'))
    .gives(t, ['CheckDeregistration c', { Check: { ServiceID: 'web' } }])
  given(...withWeb)
    .when(agentAggregate, { ...remove('C'), tenancy: team })
    .refuses(t, 'agent.not-found', 'Unknown check "C"')
  const ofNode = after(node, command('RegisterAgentCheck', check('up')))
  given(...ofNode)
    .when(agentAggregate, { ...remove('up'), tenancy: team })
    .gives(t, 'CheckDeregistration up', 'NodeEvent n')
})

test('what was found changes status and output, and leaves what the check is', t =>
  given(...after(node, services(false, web(check('c', { ServiceID: 'web', Notes: 'n' }, { TCP: 'x:1' })))))
    .when(agentAggregate, found('c', 'warning', 'slow'))
    .gives(t, [
      'CheckStatusUpdate c',
      { Check: { Status: 'warning', Output: 'slow', Notes: 'n', Runner: { TCP: 'x:1' }, CreateIndex: 2 } }
    ]))

test('what was found before is no change', t =>
  given(...withWeb)
    .when(agentAggregate, found('c', 'passing'))
    .gives(t))

test('output beyond 4,096 bytes is cut off at a whole character', t =>
  given(...withWeb)
    .when(agentAggregate, found('c', 'passing', `x${'ä'.repeat(3000)}`))
    .gives(t, ['CheckStatusUpdate c', { Check: { Output: `x${'ä'.repeat(2047)}` } }]))

test('a check that turns critical ends the sessions that depend on it', t => {
  const ofNode = after(node, command('RegisterAgentCheck', check('up')))
  const session = command('CreateSession', {
    newId: id(1),
    Name: '',
    Node: 'n',
    LockDelay: 0,
    Behavior: 'release' as const,
    TTL: '',
    NodeChecks: ['up'],
    ServiceChecks: null,
    Checks: []
  })
  const held = given(...ofNode)
    .when(sessionAggregate, session)
    .events()
  given(...ofNode, ...held)
    .when(agentAggregate, found('up', 'critical'))
    .gives(t, 'CheckStatusUpdate up', 'NodeEvent n', `SessionInvalidated ${id(1)}`)
})

test('updating an unknown check is rejected', t =>
  given(...node)
    .when(agentAggregate, found('c', 'passing'))
    .refuses(t, 'agent.not-found', 'Unknown check "c"'))

test('maintenance of the node is a critical check, which tells the reason or that there is none', t => {
  const Check = { Status: 'critical', Type: 'maintenance', Name: 'Node Maintenance Mode', ServiceID: '' }
  given(...node)
    .when(agentAggregate, maintenance(true, undefined, 'disks'))
    .gives(
      t,
      ['CheckRegistration _node_maintenance', { Check: { ...Check, Notes: 'disks' } }],
      'NodeEvent n',
      'NodeEligibility n'
    )
  const [event] = given(...node)
    .when(agentAggregate, maintenance(true))
    .events()
  t.regex(JSON.stringify(event?.Payload), /enabled for this node, but no reason was provided/)
})

test('maintenance of a service is a critical check of it, under the ID as it is stored', t =>
  given(...withWeb)
    .when(agentAggregate, maintenance(true, 'WEB'))
    .gives(t, [
      'CheckRegistration _service_maintenance:web',
      {
        Check: { Status: 'critical', Name: 'Service Maintenance Mode', ServiceID: 'web', ServiceName: 'web' }
      }
    ]))

test('maintenance that is on stays as it is, and goes off once', t => {
  const on = after(withWeb, maintenance(true, 'web', 'first'))
  given(...on)
    .when(agentAggregate, maintenance(true, 'web', 'second'))
    .gives(t)
  given(...on)
    .when(agentAggregate, maintenance(false, 'web'))
    .gives(t, 'CheckDeregistration _service_maintenance:web')
  given(...withWeb)
    .when(agentAggregate, maintenance(false, 'web'))
    .gives(t)
})

test('maintenance of an unknown service is refused', t =>
  given(...node)
    .when(agentAggregate, maintenance(true, 'web'))
    .refuses(t, 'agent.not-found', 'Unknown service "web"'))
