// Decides the commands on sessions (spec: state.md §5).
import { invalidDuration, parseDuration, HOUR, SECOND } from '../../events/duration.js'
import type { Tenancy, Event } from '../../events/envelope.js'
import type { Session } from '../../events/session.js'
import type { Views } from '../../projections/views.js'
import { invalid } from '../refusal.js'
import { within } from '../same-tenancy.js'
import type {
  CreateSession,
  DestroySession,
  ExpireSessions,
  SessionCommand,
  SessionDraft
} from './commands.js'
import { endSession } from './end.js'
import { sessionEvent } from './events.js'
import { nodesOf, type NodeDirectory } from './node-directory.js'

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

const checkTtl = (draft: SessionDraft): void => {
  const ttl = ttlOf(draft)
  if (ttl !== 0 && (ttl < SHORTEST_TTL || ttl > LONGEST_TTL))
    throw invalid(`Invalid Session TTL '${ttl}', must be between [10s=24h0m0s]`)
}

const checkChecks = (draft: SessionDraft, tenancy: Tenancy, nodes: NodeDirectory): void => {
  const { Node, NodeChecks, ServiceChecks, Checks } = draft
  const mustStand = (id: string, namespace: string): void => {
    const status = nodes.checkStatus({ partition: tenancy.partition, namespace }, Node, id)
    if (status === undefined) throw invalid(`Missing check '${id}' registration`)
    if (status === 'critical') throw invalid(`Check '${id}' is in critical state`)
  }
  for (const id of [...(NodeChecks ?? []), ...Checks]) mustStand(id, 'default')
  for (const { ID, Namespace } of ServiceChecks ?? []) mustStand(ID, Namespace || tenancy.namespace)
}

const create = ({ data, tenancy }: CreateSession, views: Views, index: number): Event[] => {
  const { newId, Checks, ...draft } = data
  if (data.Node === '') throw invalid('Must provide Node')
  checkTtl(data)
  const nodes = nodesOf(views)
  if (!nodes.has(tenancy.partition, data.Node)) throw invalid('Missing node registration')
  checkChecks(data, tenancy, nodes)
  const session: Session = {
    ID: newId,
    ...draft,
    ...(Checks.length > 0 ? { Checks } : {}),
    CreateIndex: index,
    ModifyIndex: index
  }
  return [sessionEvent('SessionCreated', tenancy, session)]
}

const destroy = ({ data, tenancy }: DestroySession, views: Views, index: number): Event[] => {
  const row = within(views.sessions.get(data.id), tenancy)
  return row ? endSession(row, 'destroyed', views, index) : []
}

/** Sessions hold different keys, so that the end of one says nothing of another's. */
const expire = ({ data }: ExpireSessions, views: Views, index: number): Event[] =>
  data.ids.flatMap(id => {
    const row = views.sessions.get(id)
    return row ? endSession(row, 'invalidated', views, index) : []
  })

/** @throws Refusal `invalid` for a session that cannot be made */
export const decideSession = (command: SessionCommand, views: Views, index: number): Event[] => {
  switch (command.name) {
    case 'CreateSession':
      return create(command, views, index)
    case 'DestroySession':
      return destroy(command, views, index)
    case 'ExpireSessions':
      return expire(command, views, index)
  }
}
