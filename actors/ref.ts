import type { Event, Tenancy } from '../events/envelope.js'

/**
 * Identifies a resource. `kind` is the topic of the resource's events, or the name of an aggregate without events. `namespace` is empty for resources
 * of a partition, and `key` for commands on many resources of a kind.
 */
export interface ActorRef<Kind extends string = string> extends Tenancy {
  readonly kind: Kind
  readonly key: string
}

export const inNamespace = <const Kind extends string>(
  kind: Kind,
  { partition, namespace }: Tenancy,
  key: string
): ActorRef<Kind> => ({ kind, partition, namespace, key })

/** A resource of a partition that belongs to no namespace. */
export const inPartition = <const Kind extends string>(
  kind: Kind,
  partition: string,
  key: string
): ActorRef<Kind> => ({ kind, partition, namespace: '', key })

/** A resource of the whole cluster; without a key, all resources of a kind. */
export const inCluster = <const Kind extends string>(kind: Kind, key = ''): ActorRef<Kind> =>
  inPartition(kind, 'default', key)

/** Returns a unique text for a resource: of the four parts only keys can contain a slash. */
export const textOf = ({ kind, partition, namespace, key }: ActorRef): string =>
  `${kind}/${partition}/${namespace}/${key}`

/** Returns the key of a resource on a node, such as a service. Keys on one node have the order of the IDs. */
export const keyOnNode = (node: string, id: string): string => `${node.length}/${node}${id}`

/** Returns the node and the ID of a `keyOnNode`. */
export const splitKeyOnNode = (key: string): readonly [node: string, id: string] => {
  const start = key.indexOf('/') + 1
  const end = start + Number(key.slice(0, start - 1))
  return [key.slice(start, end), key.slice(end)]
}

export const subjectOf = ({ Topic, Partition, Namespace, Key }: Event): ActorRef => ({
  kind: Topic,
  partition: Partition,
  namespace: Namespace,
  key: Key
})
