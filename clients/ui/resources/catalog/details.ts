import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { fieldsOf, textOf, type Fields } from '../kind.js'
import type { Status } from './summary.js'

export interface CheckFacts {
  readonly id: string
  readonly name: string
  readonly status: Status
  readonly output: string
  readonly notes: string
  readonly type: string
  readonly node: string
  /** Empty for a check of the node. */
  readonly serviceId: string
  readonly serviceName: string
  readonly namespace: string
  /** `default` where the server omits it. */
  readonly partition: string
}

export interface InstanceFacts {
  readonly id: string
  readonly service: string
  readonly node: string
  /** The key of its node in the stream and the history. */
  readonly nodeKey: string
  readonly namespace: string
  readonly partition: string
  readonly address: string
  readonly port: number
  readonly kind: string
  readonly tags: readonly string[]
  readonly meta: Readonly<Record<string, string>>
  readonly weights: { readonly passing: number; readonly warning: number }
}

const DEFAULT = 'default'

const statusOf = (value: unknown): Status => (value === 'passing' || value === 'warning' ? value : 'critical')

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : [])

const textsByName = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, textOf(each)]))

/** Formats metadata: `rack=r1, zone=a`. */
export const metaText = (meta: Readonly<Record<string, string>>): string =>
  Object.entries(meta)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** @param fields of a check with its namespace and partition, from an event or a list */
export const checkFacts = (fields: Fields): CheckFacts => ({
  id: textOf(fields['CheckID']),
  name: textOf(fields['Name']),
  status: statusOf(fields['Status']),
  output: textOf(fields['Output']),
  notes: textOf(fields['Notes']),
  type: textOf(fields['Type']),
  node: textOf(fields['Node']),
  serviceId: textOf(fields['ServiceID']),
  serviceName: textOf(fields['ServiceName']),
  // The checks of nodes belong to no namespace.
  namespace: textOf(fields['Namespace']) || (textOf(fields['ServiceID']) && DEFAULT),
  partition: textOf(fields['Partition']) || DEFAULT
})

export const instanceFacts = ({ Payload, Key, Namespace, Partition = '' }: StreamedEvent): InstanceFacts => {
  const fields = fieldsOf(Payload)
  const weights = textsByName(fields['Weights'])
  return {
    id: Key,
    service: textOf(fields['ServiceName']),
    node: textOf(fields['Node']),
    nodeKey: textOf(fields['NodeID']) || textOf(fields['Node']),
    namespace: Namespace,
    partition: Partition || DEFAULT,
    address: textOf(fields['Address']),
    port: number(fields['Port']),
    kind: textOf(fields['Kind']),
    tags: texts(fields['Tags']),
    meta: textsByName(fields['Meta']),
    weights: { passing: Number(weights['Passing'] ?? 1), warning: Number(weights['Warning'] ?? 1) }
  }
}

export interface NodeFacts {
  /** Its key in the stream and the history: its ID, or its name without one. */
  readonly key: string
  readonly node: string
  readonly address: string
  readonly partition: string
  readonly meta: Readonly<Record<string, string>>
}

export const nodeFacts = ({ Payload, Key, Partition = '' }: StreamedEvent): NodeFacts => {
  const fields = fieldsOf(Payload)
  return {
    key: Key,
    node: textOf(fields['Name']),
    address: textOf(fields['Address']),
    partition: Partition || DEFAULT,
    meta: textsByName(fields['Meta'])
  }
}
