// Permissions to read a resource by topic and key, and the one refusal for missing and unreadable resources.
import { nodeTenancy } from '../../projections/tenancy-view.js'
import { Refusal } from '../../actors/refusal.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CONFIG_ENTRY_TOPIC, isConfigKind } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { KV_TOPIC } from '../../events/kv.js'
import { NODE_TOPIC } from '../../events/node.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import type { Resource } from '../../projections/acl/authorizer.js'
import { readPermissionOf, type EntryPermission } from '../../projections/config/entry-permissions.js'
import type { HistoryTarget, ResourceVersion } from '../../projections/history/history-target.js'
import { visibleEvent } from '../../projections/stream/topics.js'
import type { RequestContext } from '../wire/request-context.js'

/** Permissions required to read a resource, derived from its topic and key. */
interface ReadPermissions {
  /** On names that the key contains. */
  readonly named: readonly EntryPermission[]
  /** On names that only the resource itself contains. */
  readonly unnamed: readonly Pick<EntryPermission, 'resource' | 'tenancy'>[]
}

const ACL_TOPICS: ReadonlySet<string> = new Set([
  'ACLToken',
  'ACLPolicy',
  'ACLPolicyProposal',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule'
])

/** Matches IDs of nodes, and prefixes of them. */
const LIKE_ID = /^[0-9a-f-]+$/i

const ofEntry = (key: string, tenancy: Tenancy): readonly EntryPermission[] => {
  const slash = key.indexOf('/')
  const kind = key.slice(0, Math.max(slash, 0))
  if (!isConfigKind(kind)) return [{ resource: 'operator', access: 'read', segment: '', tenancy }]
  const right = readPermissionOf(kind, key.slice(slash + 1), tenancy)
  return right ? [right] : []
}

const permissionsOf = ({ topic, key, node }: HistoryTarget, tenancy: Tenancy): ReadPermissions => {
  const named = (resource: Resource, segment: string): ReadPermissions => ({
    named: [{ resource, access: 'read', segment, tenancy }],
    unnamed: []
  })
  const unnamed = (...parts: ReadPermissions['unnamed']): ReadPermissions => ({ named: [], unnamed: parts })
  const ofNodes = { resource: 'node', tenancy: nodeTenancy(tenancy) } as const
  const ofServices = { resource: 'service', tenancy } as const
  if (ACL_TOPICS.has(topic)) return named('acl', '')
  switch (topic) {
    case KV_TOPIC:
      return named('key', key)
    case CONFIG_ENTRY_TOPIC:
      return { named: ofEntry(key, tenancy), unnamed: [] }
    case NODE_TOPIC:
      return unnamed(ofNodes)
    case SERVICE_TOPIC:
      return unnamed(ofServices)
    case CHECK_TOPIC:
      return node === undefined ? unnamed(ofNodes, ofServices) : unnamed(ofServices)
    case SESSION_TOPIC:
      return unnamed({ resource: 'session', tenancy })
    case QUERY_TOPIC:
      return unnamed({ resource: 'query', tenancy })
    default:
      return named('operator', '')
  }
}

/** ACL resources are found by ID in any namespace, which a refusal must not disclose. */
const refusedIn = (request: RequestContext, { topic, partition, namespace }: HistoryTarget): Tenancy =>
  ACL_TOPICS.has(topic) ? request.tenancy : { partition, namespace: namespace || 'default' }

/**
 * Returns the refusal for a resource that is missing, or that the caller may not read: the same for both, decided by the caller's
 * permissions alone. Callers that may read every resource of the kind, or the one that the key names, learn that it is missing.
 * @param label the resource's name in the refusal
 */
export const notVisibleRefusal = (request: RequestContext, target: HistoryTarget, label: string): Refusal => {
  const { named, unnamed } = permissionsOf(target, refusedIn(request, target))
  const authorizer = request.usage.credited
  for (const { resource, access, segment, tenancy } of named)
    if (!authorizer.may(resource, access, segment, tenancy))
      return request.denial(resource, access, segment, tenancy)
  for (const { resource, tenancy } of unnamed) {
    const isNamed =
      target.topic === NODE_TOPIC &&
      !LIKE_ID.test(target.key) &&
      authorizer.may(resource, 'read', target.key, tenancy)
    if (!isNamed && !authorizer.mayAll(resource, 'read', tenancy))
      return request.denied({ permission: `${resource}:read`, on: null, tenancy })
  }
  return new Refusal('history.not-found', `The log has no ${label}`)
}

/**
 * Checks the permissions on names in the request, before the lookup.
 * @throws Refusal as `notVisibleRefusal`
 */
export const requireNamePermission = (
  request: RequestContext,
  target: HistoryTarget,
  label: string
): void => {
  request.requireToken()
  // The key of an entry is in lower case, and its name may not be.
  if (target.topic === CONFIG_ENTRY_TOPIC) return
  const { partition, namespace } = target
  const { named } = permissionsOf(target, { partition, namespace: namespace || 'default' })
  const authorizer = request.usage.credited
  if (!named.every(right => authorizer.may(right.resource, right.access, right.segment, right.tenancy)))
    throw notVisibleRefusal(request, target, label)
}

/** Returns the event of a version as the caller sees it; undefined where the caller does not see it. */
export const visibleEventIn = (request: RequestContext, { event }: ResourceVersion): Event | undefined =>
  visibleEvent(request.usage.credited, event, 'resource')
