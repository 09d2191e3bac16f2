// The topics of the event stream: the permissions of a subscription, and the visibility of each event. A new aggregate only
// emits events of its topic; this table decides who may see them (spec: stream.md §6, §14, §15).
import { ALL_TOPICS, type TopicFilter } from './topic-filter.js'
import { isCheckEvent } from '../../events/check.js'
import { isConfigEntryEvent, isConfigKind, nameOfEntry } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import type { EventKind } from '../../events/stored.js'
import { isNodeEvent } from '../../events/node.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import type { Authorizer } from '../acl/authorizer.js'
import { readPermissionOf } from '../config/entry-permissions.js'
import {
  allOfPermissions,
  anyOfPermissions,
  managementPermission,
  nodePermission,
  readJobPermission,
  permissionOn,
  permissionOnAll,
  type RequiredPermission
} from './required-permissions.js'
import { namespacedTenancyOf, nodeTenancy } from '../tenancy-view.js'
import { withFilterKeys } from '../filter-keys.js'

/** Removes the name, ID and address of the node, and the filter keys with them. */
const withoutNode = (event: Event): Event => {
  const { Topic, Type, Key, Namespace, Partition } = event
  const head = { Topic, Type, Key, Namespace, Partition, FilterKeys: null }
  // The node is unknown among the filter keys of an erased event.
  if (event.Erased) return { ...head, Payload: {}, Erased: true }
  if (!isServiceEvent(event)) return event
  const { Service } = event.Payload
  const hidden = { Node: '', NodeID: '', Address: Service.ServiceAddress }
  return withFilterKeys({ ...head, Payload: { Service: { ...Service, ...hidden } } })
}

/**
 * The way to an event. `whole`: a subscription to entire topics. `any`: a subscription to every readable event. `resource`:
 * a read of a resource, as in a history, an audit or a leaf.
 */
export type EventAccess = 'whole' | 'any' | 'resource'

interface TopicRights {
  /** The permission for a subscription to all keys (undefined), or to one literal key. */
  readonly gate: (key: string | undefined) => RequiredPermission
  /** Decides if the caller may read the resource of an event. `tenancy` is the event's, with `default` without a namespace. */
  readonly sees: (authorizer: Authorizer, event: Event, tenancy: Tenancy, access: EventAccess) => boolean
  /** Permission for all events of a tenancy, unchanged; absent if each event needs its own. */
  readonly all?: RequiredPermission
  readonly needs?: RequiredPermission
  /** True if `sees` also decides on erased events. */
  readonly isByHead?: true
  /** Removes the fields that the caller may not read; returns the event itself if there are none. */
  readonly redact?: (authorizer: Authorizer, event: Event, tenancy: Tenancy) => Event
}

const seesNode = (authorizer: Authorizer, name: string, tenancy: Tenancy): boolean =>
  authorizer.may('node', 'read', name, nodeTenancy(tenancy))

/** A rule on the service decides. Without one, read on the namespace permits a subscription to the topic (decisions.md 21). */
const seesService = (
  authorizer: Authorizer,
  name: string,
  tenancy: Tenancy,
  access: EventAccess
): boolean => {
  const { allowed, because } = authorizer.decide('service', 'read', name, tenancy)
  if (allowed || access !== 'whole') return allowed
  return because.kind !== 'rule' && authorizer.may('namespace', 'read', '', tenancy)
}

const operator: TopicRights = {
  gate: () => permissionOn('operator', 'read'),
  sees: (authorizer, _event, tenancy) => authorizer.may('operator', 'read', '', tenancy),
  all: permissionOn('operator', 'read'),
  isByHead: true
}

const accessControl: TopicRights = {
  gate: () => managementPermission,
  sees: (authorizer, _event, tenancy) => authorizer.may('acl', 'read', '', tenancy),
  all: permissionOn('acl', 'read'),
  needs: managementPermission,
  isByHead: true
}

const job: TopicRights = {
  gate: () => readJobPermission,
  sees: (authorizer, _event, tenancy) => readJobPermission.isMet(authorizer, tenancy),
  all: readJobPermission
}

const node: TopicRights = {
  gate: key => {
    const all = nodePermission(permissionOnAll('node'))
    return key === undefined ? all : anyOfPermissions(nodePermission(permissionOn('node', 'read', key)), all)
  },
  sees: (authorizer, event, tenancy) =>
    isNodeEvent(event) && seesNode(authorizer, event.Payload.Node.Name, tenancy),
  all: nodePermission(permissionOnAll('node'))
}

const service: TopicRights = {
  gate: key =>
    key === undefined
      ? readJobPermission
      : anyOfPermissions(permissionOn('service', 'read', key), readJobPermission),
  sees: (authorizer, event, tenancy, access) =>
    isServiceEvent(event) && seesService(authorizer, event.Payload.Service.ServiceName, tenancy, access),
  all: allOfPermissions(permissionOnAll('service'), nodePermission(permissionOnAll('node'))),
  redact: (authorizer, event, tenancy) => {
    const isNodeSeen = event.Erased
      ? authorizer.mayAll('node', 'read', nodeTenancy(tenancy))
      : isServiceEvent(event) && seesNode(authorizer, event.Payload.Service.Node, tenancy)
    return isNodeSeen ? event : withoutNode(event)
  }
}

const check: TopicRights = {
  gate: node.gate,
  sees: (authorizer, event, tenancy) => {
    if (!isCheckEvent(event)) return false
    const { Node, ServiceName } = event.Payload.Check
    return (
      seesNode(authorizer, Node, tenancy) &&
      (ServiceName === '' || authorizer.may('service', 'read', ServiceName, tenancy))
    )
  },
  all: allOfPermissions(nodePermission(permissionOnAll('node')), permissionOnAll('service'))
}

const keyValue: TopicRights = {
  gate: name => permissionOn('key', 'read', name),
  sees: (authorizer, event, tenancy) => authorizer.may('key', 'read', event.Key, tenancy),
  all: permissionOnAll('key'),
  isByHead: true
}

const session: TopicRights = {
  gate: () => permissionOnAll('session'),
  sees: (authorizer, event, tenancy) =>
    isSessionEvent(event) && authorizer.may('session', 'read', event.Payload.Session.Node, tenancy),
  all: permissionOnAll('session')
}

const preparedQuery: TopicRights = {
  gate: () => permissionOn('query', 'read'),
  sees: (authorizer, event, tenancy) =>
    isQueryEvent(event) && authorizer.may('query', 'read', event.Payload.PreparedQuery.Name, tenancy),
  all: permissionOnAll('query')
}

/** The kind of an entry decides on the permission (config.md §1.4). Entries of unknown kinds are never shown. */
const configEntry: TopicRights = {
  gate: () => permissionOn('operator', 'read'),
  sees: (authorizer, event, tenancy) => {
    const { Kind, Name } = namesOfEntry(event)
    if (!isConfigKind(Kind)) return false
    const needed = readPermissionOf(Kind, Name, tenancy)
    return !needed || authorizer.may(needed.resource, needed.access, needed.segment, needed.tenancy)
  },
  isByHead: true
}

/** An erased entry has its kind and name among its filter keys. */
const namesOfEntry = (event: Event): { readonly Kind: string; readonly Name: string } => {
  const [Kind = '', Name = ''] = event.FilterKeys ?? []
  if (event.Erased || !isConfigEntryEvent(event)) return { Kind, Name }
  const entry = event.Payload.ConfigEntry
  return { Kind: entry.Kind, Name: nameOfEntry(entry) }
}

const topics: ReadonlyMap<string, TopicRights> = new Map(
  Object.entries({
    ACLToken: accessControl,
    ACLPolicy: accessControl,
    ACLPolicyProposal: accessControl,
    ACLRole: accessControl,
    ACLAuthMethod: accessControl,
    ACLBindingRule: accessControl,
    Job: job,
    Allocation: job,
    Deployment: job,
    Evaluation: job,
    Node: node,
    Service: service,
    Check: check,
    KV: keyValue,
    Session: session,
    PreparedQuery: preparedQuery,
    ConfigEntry: configEntry,
    Namespace: operator,
    Partition: operator,
    Operator: operator,
    Cluster: operator,
    Snapshot: operator,
    Autopilot: operator,
    Cursor: operator,
    Erasure: operator,
    LegalHold: operator,
    // Topics of other servers, which clients may name.
    NodePool: accessControl,
    HostVolume: accessControl,
    CSIVolume: accessControl,
    CSIPlugin: job,
    Variable: accessControl
  })
)

export const isTopic = (name: string): boolean => name === ALL_TOPICS || topics.has(name)

/** The permission for a subscription to a topic or key. All topics, and unknown ones, need management. */
const topicPermissionOf = (topic: string | undefined, key: string | undefined): RequiredPermission =>
  (topic === undefined ? undefined : topics.get(topic)?.gate(key)) ?? managementPermission

/** The permissions for a subscription to the events that match a filter. */
export const permissionsFor = ({ resources }: TopicFilter): readonly RequiredPermission[] =>
  resources.some(({ topic, key }) => topic === undefined && key === undefined)
    ? [managementPermission]
    : resources.map(({ topic, key }) => topicPermissionOf(topic, key))

/** Permission for erased events, whose names are unknown. */
const erased = permissionOn('operator', 'read')

/**
 * Returns an event as a caller sees it: the event itself, a copy without the fields that the caller may not read, or
 * undefined. Streams, snapshots, audits, histories and leaves all use it. Events of unknown topics are never shown.
 */
export const visibleEvent = (
  authorizer: Authorizer,
  event: Event,
  access: EventAccess
): Event | undefined => {
  const rights = topics.get(event.Topic)
  if (!rights) return undefined
  const tenancy = namespacedTenancyOf(event)
  if (access === 'any' && rights.needs?.isMet(authorizer, tenancy) === false) return undefined
  const isVisible =
    event.Erased && !rights.isByHead
      ? erased.isMet(authorizer, tenancy) || rights.all?.isMet(authorizer, tenancy) === true
      : rights.sees(authorizer, event, tenancy, access)
  if (!isVisible) return undefined
  return rights.redact ? rights.redact(authorizer, event, tenancy) : event
}

/** True if a caller sees all events of a kind, unchanged; false also if each event needs its own permission. */
export const canSeeTopic = (authorizer: Authorizer, kind: EventKind, access: EventAccess): boolean => {
  const rights = topics.get(kind.Topic)
  if (!rights?.all) return false
  const needed = access === 'any' && rights.needs ? allOfPermissions(rights.all, rights.needs) : rights.all
  return needed.isMet(authorizer, namespacedTenancyOf(kind))
}
