// The pages of instances, checks and nodes.
import { Status } from '../../design/index.js'
import { fieldsOf, textOf, type Fields } from '../../resources/kind.js'
import type { Query } from '../../../typescript/connection.js'
import type { ResourceView } from '../resource/resource-view.js'
import { checkFacts, metaText } from './catalog-details.js'
import { CheckPanel } from './check-panel.js'
import { Deregister } from './deregister.js'
import { Drain } from './drain.js'
import { InstancePanel } from './instance-panel.js'
import { NodePanel } from './node-panel.js'
import { instancePage, nodePage, servicePage } from './page-links.js'

const placeOf = ({ ns, partition }: Query) => ({
  namespace: typeof ns === 'string' ? ns : 'default',
  partition: typeof partition === 'string' ? partition : 'default'
})

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '')

const metaOf = (value: unknown): string => metaText(Object(value))

const nodeLink = (fields: Fields, { partition }: { readonly partition: string }) => {
  const node = textOf(fields['Node'])
  return node && <a href={nodePage({ key: textOf(fields['NodeID']) || node, partition })}>{node}</a>
}

export const instanceView: ResourceView = {
  permission: ({ ServiceName }) => ({ resource: 'service', segment: textOf(ServiceName) }),
  summary: (fields, named) => {
    const place = placeOf(named)
    const service = textOf(fields['ServiceName'])
    return [
      ['Service', <a href={servicePage({ service, ...place })}>{service}</a>],
      ['Node', nodeLink(fields, place)],
      ['Address', [textOf(fields['Address']), textOf(fields['Port'])].filter(Boolean).join(':')],
      ['Tags', listOf(fields['Tags'])],
      ['Metadata', metaOf(fields['Meta'])]
    ]
  },
  Summary: InstancePanel,
  Actions: ({ newest, named }) => {
    const fields = fieldsOf(newest.Payload ?? {})
    const [id, node, service] = ['ID', 'Node', 'ServiceName'].map(name => textOf(fields[name]))
    const { namespace, partition } = placeOf(named)
    return (
      <Deregister
        what={id ?? ''}
        named={{ Node: node, ServiceID: id, Namespace: namespace, Partition: partition }}
      >
        {id} on {node} and its checks are removed from service {service}. Registering it again restores it.
      </Deregister>
    )
  }
}

export const checkView: ResourceView = {
  permission: ({ ServiceName, Node }) =>
    textOf(ServiceName) === ''
      ? { resource: 'node', segment: textOf(Node) }
      : { resource: 'service', segment: textOf(ServiceName) },
  status: ({ Status: status }) => <Status of={textOf(status)} />,
  summary: (fields, named) => {
    const { id, node, serviceId, serviceName, type, notes, ...place } = checkFacts(fields, placeOf(named))
    return [
      ['Instance', serviceId && <a href={instancePage({ id: serviceId, node, ...place })}>{serviceId}</a>],
      ['Service', serviceName && <a href={servicePage({ service: serviceName, ...place })}>{serviceName}</a>],
      ['Node', nodeLink(fields, place)],
      ['Scope', serviceId === '' ? `all instances on ${node}` : ''],
      ['Type', type],
      ['Notes', notes],
      ['Check ID', id]
    ]
  },
  Summary: CheckPanel,
  Actions: ({ newest, named }) => {
    const { id, node, serviceId, namespace, partition } = checkFacts(
      fieldsOf(newest.Payload ?? {}),
      placeOf(named)
    )
    return (
      <Deregister
        what={id}
        named={{ Node: node, CheckID: id, Namespace: namespace || undefined, Partition: partition }}
      >
        The check no longer affects {serviceId || `the instances on ${node}`}.
      </Deregister>
    )
  }
}

export const nodeView: ResourceView = {
  permission: ({ Name }) => ({ resource: 'node', segment: textOf(Name) }),
  summary: fields => [
    ['Address', textOf(fields['Address']) || textOf(fields['HTTPAddr'])],
    ['Datacenter', textOf(fields['Datacenter'])],
    ['Metadata', metaOf(fields['Meta'])],
    ['ID', textOf(fields['ID'])]
  ],
  Summary: NodePanel,
  Actions: ({ newest }) => {
    const fields = fieldsOf(newest.Payload ?? {})
    const [node = '', address = ''] = ['Name', 'Address'].map(name => textOf(fields[name]))
    const partition = textOf(fields['Partition']) || 'default'
    return (
      <>
        <Drain node={node} address={address} partition={partition} />
        <Deregister what={node} named={{ Node: node, Partition: partition }}>
          Its services and checks are deleted. Its sessions end, and their locks are released or deleted.
        </Deregister>
      </>
    )
  }
}
