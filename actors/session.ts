// Sessions (spec: state.md §5).
import { setup } from 'xstate'
import { HOUR, invalidDuration, parseDuration, SECOND } from '../events/duration.js'
import type { Event, Tenancy } from '../events/envelope.js'
import { type Session, SESSION_TOPIC, type SessionEvent, sessionDefinition } from '../events/session.js'
import type { Models } from '../projections/models.js'
import type { SessionRow } from '../projections/sessions/sessions.js'
import { tenancyViewOf } from '../projections/tenancy-view.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Effects } from './aggregate.js'
import type { Command } from './command.js'
import { contentsOf } from './content.js'
import { kvDeleted, kvReleased } from './kv.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'
import { createEvent } from './create-event.js'
import { queryDeleted } from './query.js'
import { invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'

// Commands

/** What a session is made of; it never changes. */
export type SessionContent = Required<Omit<Session, 'ID' | 'CreateIndex' | 'ModifyIndex'>>

type CreateSession = Command<'CreateSession', SessionContent & { readonly newId: string }>
type DestroySession = Command<'DestroySession', { readonly id: string }>
/** The TTL of these sessions has run out. */
type ExpireSessions = Command<'ExpireSessions', { readonly ids: readonly string[] }>
type SessionCommand = CreateSession | DestroySession | ExpireSessions

const effects: Effects<SessionCommand> = {
  CreateSession: 'change',
  DestroySession: 'removal',
  ExpireSessions: 'removal'
}

// Lifecycle

const sessionMachine = setup({
  types: { events: {} as MachineEvent<SessionEvent> },
  // Whoever ends sessions by their TTL relies on it, also with what a snapshot brings.
  guards: {
    hasReadableTtl: ({ event: { event } }) => {
      const { TTL } = event.Payload.Session
      return TTL === '' || parseDuration(TTL) !== undefined
    }
  }
}).createMachine({
  id: SESSION_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { SessionCreated: { target: 'live', guard: 'hasReadableTtl' } } },
    live: { on: { SessionDestroyed: 'absent', SessionInvalidated: 'absent' } }
  }
})

const sessionLifecycle: Lifecycle = {
  topic: SESSION_TOPIC,
  machine: sessionMachine,
  endings: ['SessionDestroyed', 'SessionInvalidated'],
  stateOf: ({ sessions }, { key }) => (sessions.get(key) ? 'live' : 'absent')
}

// Decisions

/** Bounds on the TTL of a session, nanoseconds. */
const SHORTEST_TTL = 10 * SECOND
const LONGEST_TTL = 24 * HOUR

/** Nanoseconds of a session's TTL; 0 for none. @throws Refusal `invalid` for a text that is no duration */
export const ttlOf = ({ TTL }: Pick<Session, 'TTL'>): number => {
  if (TTL === '') return 0
  const ttl = parseDuration(TTL)
  if (ttl === undefined) throw invalid(`Session TTL '${TTL}' invalid: ${invalidDuration(TTL)}`)
  return ttl
}

const checkTtl = (content: SessionContent): void => {
  const ttl = ttlOf(content)
  if (ttl !== 0 && (ttl < SHORTEST_TTL || ttl > LONGEST_TTL))
    throw invalid(`Invalid Session TTL '${ttl}', must be between [10s=24h0m0s]`)
}

const checkChecks = (content: SessionContent, tenancy: Tenancy, nodes: NodeDirectory): void => {
  const { Node, NodeChecks, ServiceChecks, Checks } = content
  const mustStand = (id: string, namespace: string): void => {
    const status = nodes.checkStatus({ partition: tenancy.partition, namespace }, Node, id)
    if (status === undefined) throw invalid(`Missing check '${id}' registration`)
    if (status === 'critical') throw invalid(`Check '${id}' is in critical state`)
  }
  for (const id of [...(NodeChecks ?? []), ...(Checks ?? [])]) mustStand(id, 'default')
  for (const { ID, Namespace } of ServiceChecks ?? []) mustStand(ID, Namespace || tenancy.namespace)
}

const contentOf = contentsOf(sessionDefinition)

const create = ({ data, tenancy }: CreateSession, views: Views, index: number): Event[] => {
  if (data.Node === '') throw invalid('Must provide Node')
  checkTtl(data)
  const nodes = nodesOf(views)
  if (!nodes.has(tenancy.partition, data.Node)) throw invalid('Missing node registration')
  checkChecks(data, tenancy, nodes)
  const session: Session = {
    ID: data.newId,
    ...contentOf(data),
    CreateIndex: index,
    ModifyIndex: index
  }
  return [sessionEvent('SessionCreated', tenancy, session)]
}

const destroy = ({ data, tenancy }: DestroySession, views: Views, index: number): Event[] => {
  const row = isWithinTenancy(views.sessions.get(data.id), tenancy)
  return row ? endSession(row, 'destroyed', views, index) : []
}

/** Sessions hold different keys, so that the end of one says nothing of another's. */
const expire = ({ data }: ExpireSessions, views: Views, index: number): Event[] =>
  data.ids.flatMap(id => {
    const row = views.sessions.get(id)
    return row ? endSession(row, 'invalidated', views, index) : []
  })

/** @throws Refusal `invalid` for a session that cannot be made */
const decideSession = (command: SessionCommand, views: Views, index: number): Event[] => {
  switch (command.name) {
    case 'CreateSession':
      return create(command, views, index)
    case 'DestroySession':
      return destroy(command, views, index)
    case 'ExpireSessions':
      return expire(command, views, index)
  }
}

// What the decisions on sessions ask of the catalog.

interface NodeDirectory {
  /** Whether a node of this name is registered, in any letter case. */
  has(partition: string, node: string): boolean
  /**
   * The status of a check on a node; undefined when there is none.
   * @param tenancy of the service that the check is of; the namespace `default` for a check of the node
   *   itself
   */
  checkStatus(tenancy: Tenancy, node: string, check: string): string | undefined
}

/** The catalog of these views. */
const nodesOf = ({ catalog }: Views): NodeDirectory => ({
  has: (partition, node) => catalog.node(partition, node) !== undefined,
  checkStatus: (tenancy, node, check) => catalog.check(tenancy, node, check)?.check.Status
})

// The end of a session and everything that ends with it, in one commit (spec: state.md §5, stream.md §15).

/** `destroyed` by request; `invalidated` by its TTL, a check or its node. */
type SessionEnd = 'destroyed' | 'invalidated'

/**
 * The events of a session's end: the session's first, then for each key that it holds, in their order, the
 * release or removal, last the queries that go with it. The lock-delay of those keys begins with the commit.
 * Cost: the keys held.
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

// Events

export const sessionEvent = (Type: SessionEvent['Type'], tenancy: Tenancy, session: Session): SessionEvent =>
  createEvent({
    Topic: SESSION_TOPIC,
    Type,
    Key: session.ID,
    tenancy,
    FilterKeys: session.Name === '' ? [session.Node] : [session.Node, session.Name],
    Payload: { Session: { ...session, ...tenancyViewOf(tenancy) } }
  })

export const sessionAggregate: Aggregate<SessionCommand> = {
  lifecycle: sessionLifecycle,
  effects,
  decide: decideSession
}
