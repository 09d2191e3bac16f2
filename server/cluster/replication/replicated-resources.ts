// Of which things the primary tells the other datacenters, and in which form.
import type { Event } from '../../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { REPLICATED_TOPICS, type ReplicatedIndexes } from '../../../events/replication.js'
import { isTokenEvent, TOKEN_TOPIC } from '../../../events/token.js'
import type { Views } from '../../../projections/read-models.js'
import type { Change } from './replication-messages.js'

/** Which of them are told of. */
export const replicatedTopics = (withTokens: boolean): readonly string[] =>
  REPLICATED_TOPICS.filter(topic => withTokens || topic !== TOKEN_TOPIC)

/** Whether a thing is of all datacenters: other partitions are of the primary alone, and so are its local tokens. */
export const isGlobal = (event: Event): boolean => event.Partition === 'default' && isOfPrimary(event)

/** Whether a resource is written only in the primary: those of other partitions are, too, though only it has them. */
export const isOfPrimary = (event: Event): boolean => !(isTokenEvent(event) && event.Payload.ACLToken.Local)

/** What is told of an event; the keys to filter by follow from the rest. */
export const changeOf = ({ Topic, Type, Key, Namespace, Partition, Payload, Secrets }: Event): Change => ({
  Topic,
  Type,
  Key,
  Namespace,
  Partition,
  FilterKeys: null,
  Payload,
  ...(Secrets ? { Secrets: { ...Secrets } } : {})
})

/** Those of its events that are told; an erased one is not, for a later one says what became of the thing. */
export const changesIn = (events: readonly Event[], topics: ReadonlySet<string>): readonly Change[] =>
  events.flatMap(event =>
    topics.has(event.Topic) && !event.Erased && isGlobal(event) ? [changeOf(event)] : []
  )

/** Of the lists as they are now. */
export const indexesOf = (
  { policies, roles, tokens, config }: Views,
  withTokens: boolean
): ReplicatedIndexes => ({
  Policies: policies.index,
  Roles: roles.index,
  Tokens: withTokens ? tokens.index : 0,
  ConfigEntries: config.index
})

/** Whether the end of things of a topic, of which nobody has told, follows from their absence: a namespace may hold what is not told of. */
export const isDeletedWhenUnlisted = (topic: string): boolean => topic !== NAMESPACE_TOPIC
