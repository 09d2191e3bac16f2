// The pages of instances, checks and nodes.
import { Status, ConfirmButton, Payload, Section } from '../../design/index.js'
import { textOf, type Fields } from '../../resources/kind.js'
import type { PermissionTarget, ResourceView, PanelProps } from '../resource/resource-view.js'
import { checkFacts, metaText, instancePage, nodePage, servicePage } from '../../resources/catalog/facts.js'
import type { ComponentChildren } from 'preact'
import { send } from '../send.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { InstanceChecks, NodePanel } from './check-list.js'

const CHECK_ID = '_node_maintenance'

interface DrainProps {
  readonly node: string
  readonly address: string
  readonly partition: string
}

/** Puts a node into maintenance, and takes it out again. */
const Drain = ({ node, address, partition }: DrainProps) => {
  const path = `/v1/health/node/${encodeURIComponent(node)}`
  const { value } = useBlockingQuery<readonly object[]>(path, {
    partition,
    filter: `CheckID == ${JSON.stringify(CHECK_ID)}`
  })
  const isDrained = (value?.length ?? 0) > 0
  const change = (reason: string): Promise<unknown> => {
    const named = { Node: node, Partition: partition }
    if (isDrained)
      return send('PUT', '/v1/catalog/deregister', { body: { ...named, CheckID: CHECK_ID }, reason })
    const Check = {
      CheckID: CHECK_ID,
      Name: 'Node Maintenance Mode',
      Status: 'critical',
      Type: 'maintenance',
      Notes: reason
    }
    const body = { ...named, Address: address, SkipNodeUpdate: true, Check }
    return send('PUT', '/v1/catalog/register', { body, reason })
  }
  return (
    <ConfirmButton
      label={isDrained ? 'End maintenance' : 'Drain node'}
      title={isDrained ? `End the maintenance of ${node}?` : `Drain ${node}?`}
      action={change}
      isHarmless
      disabled={!value}
    >
      {isDrained
        ? 'Its instances are as healthy as their checks again.'
        : 'Its instances become critical, so clients stop using them. Nothing is deleted.'}
    </ConfirmButton>
  )
}

interface Props {
  readonly what: string
  readonly named: Readonly<Record<string, string | undefined>>
  readonly children: ComponentChildren
}

const Deregister = ({ what, named, children }: Props) => (
  <ConfirmButton
    label="Deregister"
    title={`Deregister ${what}?`}
    action={reason => send('PUT', '/v1/catalog/deregister', { body: named, reason })}
  >
    {children}
  </ConfirmButton>
)

const InstancePanel = ({ fields, place }: PanelProps) => {
  const [id = '', node = ''] = ['ID', 'Node'].map(name => textOf(fields[name]))
  return (
    <Section title="Checks">
      <InstanceChecks label="Checks" node={node} id={id} place={place} />
    </Section>
  )
}

const CheckPanel = ({ fields }: PanelProps) => (
  <Section title="Output">
    <Payload text={textOf(fields['Output']) || 'No output.'} />
  </Section>
)

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '')

const metaOf = (value: unknown): string => metaText(Object(value))

const nodeLink = (fields: Fields, { partition }: { readonly partition: string }) => {
  const node = textOf(fields['Node'])
  return node && <a href={nodePage({ key: textOf(fields['NodeID']) || node, partition })}>{node}</a>
}

const ofNode = ({ Node }: Fields): PermissionTarget => ({ resource: 'node', segment: textOf(Node) })

export const instanceView: ResourceView = {
  permission: ({ ServiceName }) => ({ resource: 'service', segment: textOf(ServiceName) }),
  alternative: ofNode,
  summary: (fields, place) => {
    const service = textOf(fields['ServiceName'])
    return [
      ['Service', <a href={servicePage({ service, namespace: place.ns, ...place })}>{service}</a>],
      ['Node', nodeLink(fields, place)],
      ['Address', [textOf(fields['Address']), textOf(fields['Port'])].filter(Boolean).join(':')],
      ['Tags', listOf(fields['Tags'])],
      ['Metadata', metaOf(fields['Meta'])]
    ]
  },
  Summary: InstancePanel,
  Actions: ({ id, fields, place: { ns, partition } }) => {
    const [node, service] = ['Node', 'ServiceName'].map(name => textOf(fields[name]))
    return (
      <Deregister what={id} named={{ Node: node, ServiceID: id, Namespace: ns, Partition: partition }}>
        {id} on {node} and its checks are removed from service {service}. Registering it again restores it.
      </Deregister>
    )
  }
}

export const checkView: ResourceView = {
  permission: fields => {
    const service = textOf(fields['ServiceName'])
    return service === '' ? ofNode(fields) : { resource: 'service', segment: service }
  },
  alternative: ofNode,
  status: ({ Status: status }) => <Status of={textOf(status)} />,
  summary: (fields, { ns: Namespace, partition: Partition }) => {
    const facts = checkFacts({ ...fields, Namespace, Partition })
    const { id, node, serviceId, serviceName, type, notes, ...place } = facts
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
  Actions: ({ id, fields, place: { ns, partition } }) => {
    const [node, serviceId] = ['Node', 'ServiceID'].map(name => textOf(fields[name]))
    return (
      <Deregister what={id} named={{ Node: node, CheckID: id, Namespace: ns, Partition: partition }}>
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
  Actions: ({ fields, place: { partition } }) => {
    const [node = '', address = ''] = ['Name', 'Address'].map(name => textOf(fields[name]))
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
