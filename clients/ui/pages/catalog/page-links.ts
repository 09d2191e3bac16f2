// Addresses of the pages of services, instances, nodes and checks.

type Named = Readonly<Record<string, string>>

const address = (path: string, named: Named): string => `/ui/${path}?${new URLSearchParams(named)}`

interface Placed {
  readonly namespace: string
  readonly partition: string
}

export const servicePage = ({
  service,
  namespace,
  partition
}: Placed & { readonly service: string }): string =>
  address('service/one', { name: service, ns: namespace, partition })

/** Of an instance, or of a check, whose ID is the key. */
const onNode = (path: string, resource: Placed & { readonly node: string }, key: string): string =>
  address(path, { key, ns: resource.namespace, partition: resource.partition, node: resource.node })

export const instancePage = (instance: Placed & { readonly id: string; readonly node: string }): string =>
  onNode('services/one', instance, instance.id)

export const checkPage = (check: Placed & { readonly id: string; readonly node: string }): string =>
  onNode('checks/one', check, check.id)

/** @param node by what the history calls it */
export const nodePage = ({ key, partition }: { readonly key: string; readonly partition: string }): string =>
  address('nodes/one', { key, ns: '', partition })
