// The services, instances, checks and nodes of the catalog, with their IDs and pages.
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { fieldsOf, listIn, resourcePage, textOf, type Fields } from '../kind.js'

/** From good to bad. */
export const STATUSES = ['passing', 'warning', 'critical'] as const

/** The status of an instance or node is that of its worst check. */
export const STATUS_TITLES = { passing: 'Passing', warning: 'Warning', critical: 'Critical' } as const

export type Status = (typeof STATUSES)[number]

export interface ServiceSummary {
  readonly service: string
  readonly namespace: string
  readonly partition: string
  readonly kind: string
  readonly instances: number
  readonly counts: Readonly<Record<Status, number>>
  /** The number of instances by tag. */
  readonly tags: Readonly<Record<string, number>>
}

export const worse = (one: Status, other: Status | undefined): Status =>
  other !== undefined && STATUSES.indexOf(other) > STATUSES.indexOf(one) ? other : one

/** Returns the worst status with a count above zero. */
export const worstOf = ({ critical, warning }: Readonly<Record<Status, number>>): Status => {
  if (critical > 0) return 'critical'
  return warning > 0 ? 'warning' : 'passing'
}

const DEFAULT = 'default'

const statusOf = (value: unknown): Status => (value === 'passing' || value === 'warning' ? value : 'critical')

const textsByName = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, textOf(each)]))

/** Formats metadata: `rack=r1, zone=a`. */
export const metaText = (meta: Readonly<Record<string, string>>): string =>
  Object.entries(meta)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** @param fields of a check with its namespace and partition, from an event or a list */
export const checkFacts = (fields: Fields) => ({
  id: textOf(fields['CheckID']),
  name: textOf(fields['Name']),
  status: statusOf(fields['Status']),
  output: textOf(fields['Output']),
  notes: textOf(fields['Notes']),
  type: textOf(fields['Type']),
  node: textOf(fields['Node']),
  /** Empty for a check of the node. */
  serviceId: textOf(fields['ServiceID']),
  serviceName: textOf(fields['ServiceName']),
  // The checks of nodes belong to no namespace.
  namespace: textOf(fields['Namespace']) || (textOf(fields['ServiceID']) && DEFAULT),
  partition: textOf(fields['Partition']) || DEFAULT
})

export type CheckFacts = Readonly<ReturnType<typeof checkFacts>>

export const instanceFacts = ({ Payload, Key, Namespace, Partition = '' }: StreamedEvent) => {
  const fields = fieldsOf(Payload)
  const weights = textsByName(fields['Weights'])
  return {
    id: Key,
    service: textOf(fields['ServiceName']),
    node: textOf(fields['Node']),
    /** The key of its node in the stream and the history. */
    nodeKey: textOf(fields['NodeID']) || textOf(fields['Node']),
    namespace: Namespace,
    partition: Partition || DEFAULT,
    address: textOf(fields['Address']),
    port: number(fields['Port']),
    kind: textOf(fields['Kind']),
    tags: listIn(fields['Tags']).map(textOf),
    meta: textsByName(fields['Meta']),
    weights: { passing: Number(weights['Passing'] ?? 1), warning: Number(weights['Warning'] ?? 1) }
  }
}

export type InstanceFacts = Readonly<ReturnType<typeof instanceFacts>>

export const nodeFacts = ({ Payload, Key, Partition = '' }: StreamedEvent) => {
  const fields = fieldsOf(Payload)
  return {
    /** Its key in the stream and the history: its ID, or its name without one. */
    key: Key,
    node: textOf(fields['Name']),
    address: textOf(fields['Address']),
    partition: Partition || DEFAULT,
    meta: textsByName(fields['Meta'])
  }
}

export type NodeFacts = Readonly<ReturnType<typeof nodeFacts>>

interface Placed {
  readonly namespace: string
  readonly partition: string
}

interface OnNode extends Placed {
  readonly id: string
  readonly node: string
}

// Identities start with the sort key.
const idOf = (...parts: readonly string[]): string => parts.join('\0')

export const nodeId = ({ node, partition }: Pick<OnNode, 'node' | 'partition'>): string =>
  idOf(node, partition)

export const serviceId = ({ service, namespace, partition }: Placed & { readonly service: string }): string =>
  idOf(service, namespace, partition)

/** @param instance its ID is that of the service on its node */
export const instanceId = (instance: OnNode): string =>
  idOf(instance.id, instance.node, instance.namespace, instance.partition)

export const checkId = (check: OnNode): string => idOf(check.node, check.id, check.namespace, check.partition)

export const servicePage = (service: Placed & { readonly service: string }): string => {
  const { service: name, namespace: ns, partition } = service
  return `/ui/service/one?${new URLSearchParams({ name, ns, partition })}`
}

export const instancePage = ({ id, node, namespace, partition }: OnNode): string =>
  resourcePage('services', { key: id, ns: namespace, partition, node })

export const checkPage = ({ id, node, namespace, partition }: OnNode): string =>
  resourcePage('checks', { key: id, ns: namespace, partition, node })

/** @param node with its key in the history */
export const nodePage = ({ key, partition }: { readonly key: string; readonly partition: string }): string =>
  resourcePage('nodes', { key, partition })
