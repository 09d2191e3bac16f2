// What the stream says of services, checks and nodes, as far as the pages show it.
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { fieldsOf, textOf, type Fields } from '../../resources/kind.js'
import type { Status } from './summary.js'

/** A check, of a service's instance or of a node. */
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

/** An instance of a service. */
export interface InstanceFacts {
  readonly id: string
  readonly service: string
  readonly node: string
  /** What the stream and the history call its node. */
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

/** Fields with their values as text. */
const textsByName = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, textOf(each)]))

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Of a check as the stream shows it, or a list of checks: they have the same fields. */
export const checkFacts = (
  fields: Fields,
  { namespace, partition }: Pick<CheckFacts, 'namespace' | 'partition'>
): CheckFacts => ({
  id: textOf(fields['CheckID']),
  name: textOf(fields['Name']),
  status: statusOf(fields['Status']),
  output: textOf(fields['Output']),
  notes: textOf(fields['Notes']),
  type: textOf(fields['Type']),
  node: textOf(fields['Node']),
  serviceId: textOf(fields['ServiceID']),
  serviceName: textOf(fields['ServiceName']),
  namespace,
  partition: partition || DEFAULT
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

/** A node. */
export interface NodeFacts {
  /** What the stream and the history call it: its ID, or its name where it has none. */
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
