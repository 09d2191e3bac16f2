// The further forms of services in answers: beside the fields of their node, and as the agent shows them. What is added to the
// shape of services is in both.
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import { computedField, generated, nonNullable } from '../../events/definition/fields.js'
import { textType } from '../../events/definition/value-types.js'
import type { Fields } from '../../events/definition/types.js'

const {
  Kind,
  ID,
  Service,
  Namespace,
  Partition,
  Tags,
  Address,
  TaggedAddresses,
  Meta,
  Port,
  SocketPath,
  Weights,
  Proxy,
  Connect,
  CreateIndex,
  ModifyIndex,
  Datacenter: _ignored,
  ContentHash: _sent,
  ...others
} = serviceDefinition.fields

/** The name of a service's field beside those of its node. */
export const nameOnNode = (name: string): string => (name === 'Service' ? 'ServiceName' : `Service${name}`)

const content: Fields = {
  Kind,
  ID,
  Service,
  Tags: nonNullable(Tags),
  Address,
  TaggedAddresses,
  Weights,
  Meta: nonNullable(Meta),
  Port,
  SocketPath,
  ...others,
  Proxy,
  Connect
}

const {
  Meta: NodeMeta,
  Partition: _shown,
  CreateIndex: _made,
  ModifyIndex: _changed,
  ...ofNode
} = nodeDefinition.fields

/** What is said of a node beside a service. */
export const hostFields = { ...ofNode, NodeMeta }

/** Of a ServiceNode object: a node and a service in one. Addresses of the service alone are left out where there are none. */
export const onNodeFields: Fields = {
  ...hostFields,
  ...Object.fromEntries(
    Object.entries(content).map(([name, field]) => [
      nameOnNode(name),
      name === 'TaggedAddresses' ? field : { ...field, shown: 'always' }
    ])
  ),
  Namespace,
  Partition,
  CreateIndex,
  ModifyIndex
}

/** Of a service as the agent shows it: without indexes, with empty maps rather than none. */
export const agentServiceFields: Fields = {
  Kind,
  ID,
  Service,
  Namespace,
  Partition,
  Tags: nonNullable(Tags),
  Meta: nonNullable(Meta),
  Port: { ...Port, shown: 'always' },
  Address,
  SocketPath,
  TaggedAddresses: { ...nonNullable(TaggedAddresses), shown: 'as stored' },
  Weights,
  ...others,
  Proxy: { ...Proxy, shown: 'as stored' },
  Connect: { ...Connect, shown: 'filled' },
  Datacenter: generated(textType, 'Datacenter of the node'),
  ContentHash: computedField(textType, 'Of one service alone: changes with its content')
}
