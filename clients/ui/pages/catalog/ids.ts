// What tells services, instances, checks and nodes apart. They begin with what they are sorted by.

interface Placed {
  readonly namespace: string
  readonly partition: string
}

const idOf = (...parts: readonly string[]): string => parts.join('\0')

export const nodeId = ({ node, partition }: { readonly node: string; readonly partition: string }): string =>
  idOf(node, partition)

export const serviceId = ({ service, namespace, partition }: Placed & { readonly service: string }): string =>
  idOf(service, namespace, partition)

/** @param instance its ID is that of the service on its node */
export const instanceId = (instance: Placed & { readonly id: string; readonly node: string }): string =>
  idOf(instance.id, instance.node, instance.namespace, instance.partition)

export const checkId = (check: Placed & { readonly id: string; readonly node: string }): string =>
  idOf(check.node, check.id, check.namespace, check.partition)
