import { resourcePage } from '../kind.js'

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
  resourcePage('nodes', { key, ns: '', partition })
