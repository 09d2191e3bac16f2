import type { Event } from '../../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { REPLICATED_TOPICS, type ReplicatedIndexes } from '../../../events/replication.js'
import { isTokenEvent, TOKEN_TOPIC } from '../../../events/token.js'
import type { Views } from '../../../projections/read-models.js'
import type { Change } from './replication-messages.js'

export const replicatedTopics = (withTokens: boolean): readonly string[] =>
  REPLICATED_TOPICS.filter(topic => withTokens || topic !== TOKEN_TOPIC)

/** Returns true for resources of all datacenters. Other partitions and local tokens belong to one datacenter. */
export const isGlobal = (event: Event): boolean => event.Partition === 'default' && isOfPrimary(event)

/** Returns true for resources that only the primary writes, including those of other partitions. */
export const isOfPrimary = (event: Event): boolean => !(isTokenEvent(event) && event.Payload.ACLToken.Local)

/** Filter keys are omitted, because they follow from the other fields. */
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

/** Returns the replicated changes of the events. Erased events are omitted, because a later event describes the resource. */
export const changesIn = (events: readonly Event[], topics: ReadonlySet<string>): readonly Change[] =>
  events.flatMap(event =>
    topics.has(event.Topic) && !event.Erased && isGlobal(event) ? [changeOf(event)] : []
  )

/** Returns the current indexes of the lists. */
export const indexesOf = (
  { policies, roles, tokens, config }: Views,
  withTokens: boolean
): ReplicatedIndexes => ({
  Policies: policies.index,
  Roles: roles.index,
  Tokens: withTokens ? tokens.index : 0,
  ConfigEntries: config.index
})

/** Returns true if unlisted resources of the topic are deleted. A namespace may hold resources that are not replicated. */
export const isDeletedWhenUnlisted = (topic: string): boolean => topic !== NAMESPACE_TOPIC
