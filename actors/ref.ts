// The identity of a virtual actor: what a command is sent to, and what an event is about.
import type { Event, Tenancy } from '../events/envelope.js'

/**
 * Names one thing of a kind. `kind` is the topic of the thing's events, or the name of an aggregate without any.
 * `namespace` is empty for things of a partition, and `key` where a command is on many things of a kind at once.
 */
export interface ActorRef<Kind extends string = string> extends Tenancy {
  readonly kind: Kind
  readonly key: string
}

/** A thing of a namespace. */
export const inNamespace = <const Kind extends string>(
  kind: Kind,
  { partition, namespace }: Tenancy,
  key: string
): ActorRef<Kind> => ({ kind, partition, namespace, key })

/** A thing of a partition that is in none of its namespaces. */
export const inPartition = <const Kind extends string>(
  kind: Kind,
  partition: string,
  key: string
): ActorRef<Kind> => ({ kind, partition, namespace: '', key })

/** A thing of the whole cluster; without a key, the things of a kind wherever they are. */
export const inCluster = <const Kind extends string>(kind: Kind, key = ''): ActorRef<Kind> =>
  inPartition(kind, 'default', key)

/** The same text for the same thing, and for no other: of the four only keys may hold a slash. */
export const textOf = ({ kind, partition, namespace, key }: ActorRef): string =>
  `${kind}/${partition}/${namespace}/${key}`

/** The key of a thing that only several words name, such as a service on its node. */
export const compositeKey = (...words: readonly string[]): string => JSON.stringify(words)

/** The words of a composite key. */
export const describeRef = (key: string): readonly string[] => {
  const words: unknown = JSON.parse(key)
  return Array.isArray(words) ? words.map(String) : []
}

/** The thing that an event is about, where the event's key names it. */
export const subjectOf = ({ Topic, Partition, Namespace, Key }: Event): ActorRef => ({
  kind: Topic,
  partition: Partition,
  namespace: Namespace,
  key: Key
})
