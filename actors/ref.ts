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

/** Returns the key of a resource that several words identify, such as a service on its node. */
export const compositeKey = (...words: readonly string[]): string => JSON.stringify(words)

export const describeRef = (key: string): readonly string[] => {
  const words: unknown = JSON.parse(key)
  return Array.isArray(words) ? words.map(String) : []
}

export const subjectOf = ({ Topic, Partition, Namespace, Key }: Event): ActorRef => ({
  kind: Topic,
  partition: Partition,
  namespace: Namespace,
  key: Key
})
