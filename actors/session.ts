// Sessions (spec: state.md §5).
import { HOUR, invalidDuration, parseDuration, SECOND } from '../events/duration.js'
import type { CheckState } from '../events/check.js'
import { CLUSTER_TENANCY, type Event, type Tenancy } from '../events/envelope.js'
import { queryEvents } from '../events/prepared-query.js'
import {
  type Session,
  SESSION_TOPIC,
  type SessionEvent,
  sessionEvents,
  sessionDefinition
} from '../events/session.js'
import type { Models } from '../projections/models.js'
import type { SessionRow } from '../projections/sessions/sessions.js'
import { tenancyViewOf } from '../projections/tenancy-view.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import { kvDeleted, kvReleased } from './kv-events.js'
import { lifecycleOf } from './lifecycle.js'
import { invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'

export type SessionContent = Required<Omit<Session, 'ID' | 'CreateIndex' | 'ModifyIndex'>>

type CreateSession = Command<'CreateSession', SessionContent & { readonly newId: string }>
type DestroySession = Command<'DestroySession', { readonly id: string }>
/** The TTL of these sessions has run out. */
type ExpireSessions = Command<'ExpireSessions', { readonly ids: readonly string[] }>
type SessionCommand = CreateSession | DestroySession | ExpireSessions

/** The expiration of sessions requires a valid TTL, also in a restored snapshot. */
const hasReadableTtl = ({ Payload: { Session } }: SessionEvent): boolean =>
  Session.TTL === '' || parseDuration(Session.TTL) !== undefined

/** Bounds on the TTL of a session, nanoseconds. */
const SHORTEST_TTL = 10 * SECOND
const LONGEST_TTL = 24 * HOUR

/** Nanoseconds of a session's TTL; 0 for none. @throws Refusal `invalid` for a text that is no duration */
export const ttlOf = ({ TTL }: Pick<Session, 'TTL'>): number => {
  if (TTL === '') return 0
  const ttl = parseDuration(TTL)
  if (ttl === undefined)
    throw invalid('session.invalid', `Session TTL '${TTL}' invalid: ${invalidDuration(TTL)}`)
  return ttl
}

const checkTtl = (content: SessionContent): void => {
  const ttl = ttlOf(content)
  if (ttl !== 0 && (ttl < SHORTEST_TTL || ttl > LONGEST_TTL))
    throw invalid('session.invalid', `Invalid Session TTL '${ttl}', must be between [10s=24h0m0s]`)
}

const checkChecks = (content: SessionContent, tenancy: Tenancy, { catalog }: Views): void => {
  const { Node, NodeChecks, ServiceChecks, Checks } = content
  const checkIsPassing = (id: string, namespace: string): void => {
    const status = catalog.check({ partition: tenancy.partition, namespace }, Node, id)?.check.Status
    if (status === undefined) throw invalid('session.check-unknown', `Missing check '${id}' registration`)
    if (status === 'critical') throw invalid('session.check-critical', `Check '${id}' is in critical state`)
  }
  for (const id of [...(NodeChecks ?? []), ...(Checks ?? [])]) checkIsPassing(id, 'default')
  for (const { ID, Namespace } of ServiceChecks ?? []) checkIsPassing(ID, Namespace || tenancy.namespace)
}

const contentOf = contentsOf(sessionDefinition)

const create = ({ data, tenancy }: CreateSession, views: Views, index: number): Event[] => {
  if (data.Node === '') throw invalid('session.invalid', 'Must provide Node')
  checkTtl(data)
  if (!views.catalog.node(tenancy.partition, data.Node))
    throw invalid('session.node-unknown', 'Missing node registration')
  checkChecks(data, tenancy, views)
  const session: Session = { ID: data.newId, ...contentOf(data), CreateIndex: index, ModifyIndex: index }
  return [sessionEvent('SessionCreated', tenancy, session)]
}

const destroy = ({ data, tenancy }: DestroySession, views: Views, index: number): Event[] => {
  const row = isWithinTenancy(views.sessions.get(data.id), tenancy)
  return row ? endSession(row, 'destroyed', views, index) : []
}

/** Sessions hold different keys, so their ends are independent. */
const expire = ({ data }: ExpireSessions, views: Views, index: number): Event[] =>
  data.ids.flatMap(id => {
    const row = views.sessions.get(id)
    return row ? endSession(row, 'invalidated', views, index) : []
  })

// The end of a session with all its effects, in one commit (spec: state.md §5, stream.md §15).

/** `destroyed` by request; `invalidated` by its TTL, a check or its node. */
type SessionEnd = 'destroyed' | 'invalidated'

/**
 * Returns the events of a session's end: the session's own, then the release or deletion of each held key in order, then the deletion of its queries.
 * The lock delay of those keys begins with the commit. Cost: the keys held.
 * @param index that the commit will have
 */
const endSession = (
  { session, tenancy }: SessionRow,
  end: SessionEnd,
  { kv, queries }: Pick<Models, 'kv' | 'queries'>,
  index: number
): Event[] => [
  sessionEvent(end === 'destroyed' ? 'SessionDestroyed' : 'SessionInvalidated', tenancy, session),
  ...kv
    .heldBy(tenancy, session.ID)
    .map(row => (session.Behavior === 'delete' ? kvDeleted(row) : kvReleased(row, index))),
  ...queries
    .ofSession(session.ID)
    .map(({ query }) => queryEvents.create('PreparedQueryDeleted', CLUSTER_TENANCY, query))
]

export const endSessionsOfNode = (partition: string, node: string, models: Models, index: number): Event[] =>
  models.sessions.onNode(partition, node).flatMap(row => endSession(row, 'invalidated', models, index))

/** Returns the events that end all sessions that depend on a critical or deleted check. */
export const endSessionsOfCheck = (
  { partition, namespace, check: { Node, CheckID } }: CheckState,
  models: Models,
  index: number
): Event[] =>
  models.sessions
    .onCheck(partition, Node, namespace, CheckID)
    .flatMap(row => endSession(row, 'invalidated', models, index))

export const sessionEvent = (Type: SessionEvent['Type'], tenancy: Tenancy, session: Session): SessionEvent =>
  sessionEvents.create(Type, tenancy, { ...session, ...tenancyViewOf(tenancy) })

export const sessionAggregate: Aggregate<SessionCommand> = {
  lifecycle: lifecycleOf<SessionEvent>({
    topic: SESSION_TOPIC,
    states: {
      absent: { SessionCreated: { live: hasReadableTtl } },
      live: { SessionDestroyed: 'absent', SessionInvalidated: 'absent' }
    },
    stateOf: ({ sessions }, { key }) => (sessions.get(key) ? 'live' : 'absent')
  }),
  removals: ['DestroySession', 'ExpireSessions'],
  decide: decideBy({
    CreateSession: create,
    DestroySession: destroy,
    ExpireSessions: expire
  })
}
