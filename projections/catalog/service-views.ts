// The ServiceNode and agent forms of services. New fields of the definition of services are in both.
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

export const hostFields = { ...ofNode, NodeMeta }

/** The fields of a ServiceNode object. Empty tagged addresses of the service are omitted. */
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

/** The fields of a service in agent responses: without indexes, with empty maps instead of null. */
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
