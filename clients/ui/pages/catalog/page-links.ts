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

const address = (path: string, named: Readonly<Record<string, string>>): string =>
  `/ui/${path}?${new URLSearchParams(named)}`

export const servicePage = (service: Placed & { readonly service: string }): string =>
  address('service/one', { name: service.service, ns: service.namespace, partition: service.partition })

const pageOnNode = (path: string, { id, node, namespace, partition }: OnNode): string =>
  address(path, { key: id, ns: namespace, partition, node })

export const instancePage = (instance: OnNode): string => pageOnNode('services/one', instance)

export const checkPage = (check: OnNode): string => pageOnNode('checks/one', check)

/** @param node with its key in the history */
export const nodePage = ({ key, partition }: { readonly key: string; readonly partition: string }): string =>
  address('nodes/one', { key, ns: '', partition })
