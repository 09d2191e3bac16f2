// Prepared queries: what one is, and the events of its life (spec: queries.md §2, stream.md §15).
import type { Event } from './envelope.js'

type Texts = Readonly<Record<string, string>>

/** Which instances a query asks for. Null where nothing was given, which is not the same as empty. */
export interface QueryService {
  readonly Service: string
  /** Namespace of the service; absent for `default`. */
  readonly Namespace?: string
  readonly Failover: { readonly NearestN: number; readonly Datacenters: readonly string[] | null }
  readonly OnlyPassing: boolean
  readonly IgnoreCheckIDs: readonly string[] | null
  readonly Near: string
  readonly Tags: readonly string[] | null
  readonly NodeMeta: Texts | null
  readonly ServiceMeta: Texts | null
  readonly Connect: boolean
}

/** A prepared query as an event carries it. */
export interface PreparedQuery {
  readonly ID: string
  readonly Name: string
  /** ID of the session with which the query goes; '' for none. */
  readonly Session: string
  /** `<hidden>` where there is one, which travels in the event's `Secrets`; '' for none. */
  readonly Token: string
  readonly Template: {
    /** `name_prefix_match` makes a template. */
    readonly Type: string
    readonly Regexp: string
    readonly RemoveEmptyTags: boolean
  }
  readonly Service: QueryService
  /** A duration as it was written; '' for none. */
  readonly DNS: { readonly TTL: string }
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const QUERY_TOPIC = 'PreparedQuery'
/** In place of a token that the reader may not see. */
export const HIDDEN_TOKEN = '<hidden>'
export const NAME_PREFIX_MATCH = 'name_prefix_match'

type Payload = { readonly PreparedQuery: PreparedQuery }
export type QueryUpserted = Event<typeof QUERY_TOPIC, 'PreparedQueryUpserted', Payload>
export type QueryDeleted = Event<typeof QUERY_TOPIC, 'PreparedQueryDeleted', Payload>
export type QueryEvent = QueryUpserted | QueryDeleted

/** Tells a query's events from others; what the log holds under this topic was written by us. */
export const isQueryEvent = (event: Event): event is QueryEvent => event.Topic === QUERY_TOPIC

export const isTemplate = ({ Template }: Pick<PreparedQuery, 'Template'>): boolean => Template.Type !== ''

/** Whether rules of the ACL system apply to the query (spec: queries.md §4.1). */
export const isNamed = (query: Pick<PreparedQuery, 'Name' | 'Template'>): boolean =>
  query.Name !== '' || isTemplate(query)
