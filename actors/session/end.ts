// The end of a session and everything that ends with it, in one commit (spec: state.md §5, stream.md §15).
import type { Event } from '../../events/envelope.js'
import type { Models } from '../../projections/models.js'
import type { SessionRow } from '../../projections/sessions/sessions.js'
import { kvDeleted, kvReleased } from '../kv/events.js'
import { queryDeleted } from '../query/events.js'
import { sessionEvent } from './events.js'

/** `destroyed` by request; `invalidated` by its TTL, a check or its node. */
export type SessionEnd = 'destroyed' | 'invalidated'

/**
 * The events of a session's end: the session's first, then for each key that it holds, in their order, the release or
 * removal, last the queries that go with it. The lock-delay of those keys begins with the commit. Cost: the keys held.
 * @param index that the commit will have
 */
export const endSession = (
  { session, tenancy }: SessionRow,
  end: SessionEnd,
  { kv, queries }: Pick<Models, 'kv' | 'queries'>,
  index: number
): Event[] => [
  sessionEvent(end === 'destroyed' ? 'SessionDestroyed' : 'SessionInvalidated', tenancy, session),
  ...kv
    .heldBy(session.ID)
    .map(row => (session.Behavior === 'delete' ? kvDeleted(row) : kvReleased(row, index))),
  ...queries.ofSession(session.ID).map(({ query }) => queryDeleted(query))
]

/** The events of the end of all sessions on a node, which is removed. */
export const endSessionsOfNode = (partition: string, node: string, models: Models, index: number): Event[] =>
  models.sessions.onNode(partition, node).flatMap(row => endSession(row, 'invalidated', models, index))

/**
 * The events of the end of all sessions that depend on a check, which turned critical or is removed.
 * @param namespace of the service that the check is of; `default` for a check of the node itself
 * @param ended IDs of sessions that end in the same commit already; those that end here are added
 */
export const endSessionsOfCheck = (
  check: {
    readonly partition: string
    readonly node: string
    readonly namespace: string
    readonly id: string
  },
  models: Models,
  index: number,
  ended: Set<string> = new Set()
): Event[] =>
  models.sessions.onCheck(check.partition, check.node, check.namespace, check.id).flatMap(row => {
    if (ended.has(row.session.ID)) return []
    ended.add(row.session.ID)
    return endSession(row, 'invalidated', models, index)
  })
