import test from 'ava'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import { isNodeEvent, nodeState, type NodeState } from '../../../events/node.js'
import { isServiceEvent, serviceState, type ServiceState } from '../../../events/service.js'
import { nodeEvent, serviceEvent } from '../../../actors/catalog/catalog-changes.js'
import { Message } from '../../../projections/stream/message.js'
import { serviceInput } from '../../support/catalog.js'

const indexes = { CreateIndex: 3, ModifyIndex: 4 }

const node: NodeState = {
  partition: 'default',
  node: {
    ID: '11111111-2222-3333-4444-555555555501',
    Node: 'web-1',
    Address: '10.0.0.1',
    Datacenter: 'dc1',
    TaggedAddresses: { wan: '192.0.2.1' },
    Meta: null,
    ...indexes
  },
  registeredAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  statusUpdatedAt: 1767225600,
  eligible: true
}

const service: ServiceState = {
  ...DEFAULT_TENANCY,
  node: 'web-1',
  service: { ...serviceInput('web', { Port: 80 }), ...indexes },
  agent: true
}

/** As clients of the stream know a node: a text, since the order of fields is a part of it. */
const NODE_SHOWN =
  '{"ID":"11111111-2222-3333-4444-555555555501","Datacenter":"dc1","Name":"web-1","HTTPAddr":"10.0.0.1","TLSEnabled":false,' +
  '"Attributes":{"unique.network.ip-address":"10.0.0.1","tagged-address.wan":"192.0.2.1"},' +
  '"NodeResources":null,"ReservedResources":null,"Resources":null,"Reserved":null,"Links":null,"Meta":{},"NodeClass":"",' +
  '"ComputedClass":"","Drain":false,"DrainStrategy":null,"SchedulingEligibility":"eligible","Status":"ready",' +
  '"StatusDescription":"","StatusUpdatedAt":1767225600,"Events":[{"Message":"Node registered","Subsystem":"Cluster",' +
  '"Details":null,"Timestamp":"2026-01-01T00:00:00Z","CreateIndex":3}],"Drivers":{},"CSIControllerPlugins":null,' +
  '"CSINodePlugins":null,"HostVolumes":null,"CreateIndex":3,"ModifyIndex":4,"Address":"10.0.0.1",' +
  '"TaggedAddresses":{"wan":"192.0.2.1"},"Partition":"default"}'

const SERVICE_SHOWN =
  '{"ID":"web","ServiceName":"web","Namespace":"default","NodeID":"11111111-2222-3333-4444-555555555501",' +
  '"Datacenter":"dc1","JobID":"","AllocID":"","Tags":[],"Address":"10.0.0.1","Port":80,"CreateIndex":3,"ModifyIndex":4,' +
  '"Node":"web-1","Kind":"","ServiceAddress":"","TaggedAddresses":null,"SocketPath":"","Meta":null,' +
  '"Weights":{"Passing":1,"Warning":1},"EnableTagOverride":false,"Proxy":{"Mode":"","MeshGateway":{},"Expose":{}},' +
  '"Connect":{},"Partition":"default"}'

const withPayload = (event: Event, Payload: object): Event => ({ ...event, Payload })

/** Events of earlier versions, which were stored as they are shown, with marks for omitted fields. */
const earlier = {
  node: withPayload(nodeEvent('NodeRegistration', node), {
    Node: { ...JSON.parse(NODE_SHOWN), NotGiven: ['Meta'] }
  }),
  service: withPayload(serviceEvent('ServiceRegistration', service, node), {
    Service: { ...JSON.parse(SERVICE_SHOWN), NotGiven: ['Tags'], Agent: true }
  })
}

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
const payloadsIn = (...Events: readonly Event[]): readonly string[] => {
  const line = new Message({ Index: 4, Time: '', By, Events }).whole().toString()
  return [...line.matchAll(/"Payload":\{"\w+":(.*?)\}\}(?=,\{"Topic"|\]\}\n)/g)].map(([, text = '']) => text)
}

test('nodes and services are shown with the fields that clients of the stream know, and with no notes of ours', t => {
  const events = [nodeEvent('NodeRegistration', node), serviceEvent('ServiceRegistration', service, node)]
  t.deepEqual(payloadsIn(...events), [NODE_SHOWN, SERVICE_SHOWN])
})

test('what is given is shown as it is', t => {
  const event = nodeEvent('NodeEvent', {
    ...node,
    node: { ...node.node, Meta: { rack: 'a' } },
    eligible: false
  })
  const [shown = ''] = payloadsIn(event)
  t.is(shown, NODE_SHOWN.replace('"Meta":{}', '"Meta":{"rack":"a"}').replace('"eligible"', '"ineligible"'))
})

test('nothing is stored that only the stream shows', t => {
  const { Payload } = nodeEvent('NodeRegistration', node)
  t.deepEqual(Object.keys(Payload.Node), [
    'ID',
    'Name',
    'Datacenter',
    'Address',
    'TaggedAddresses',
    'Meta',
    'RegisteredAt',
    'Status',
    'StatusUpdatedAt',
    'SchedulingEligibility',
    'CreateIndex',
    'ModifyIndex',
    'Partition'
  ])
  t.notRegex(JSON.stringify(serviceEvent('ServiceRegistration', service, node)), /JobID|AllocID|NotGiven/)
})

test('events of earlier versions are decoded and shown like current ones', t => {
  t.deepEqual(isNodeEvent(earlier.node) && nodeState(earlier.node), node)
  t.deepEqual(isServiceEvent(earlier.service) && serviceState(earlier.service), service)
  t.deepEqual(payloadsIn(earlier.node, earlier.service), [NODE_SHOWN, SERVICE_SHOWN])
})
