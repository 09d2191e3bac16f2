// Every topic of the event stream: what a subscription to it needs, and which of its events an authorizer lets through.
// A new aggregate only emits events of its topic; who may see them stands here (spec: stream.md §6, §14, §15).
import { isCheckEvent } from '../../events/check.js'
import { isConfigEntryEvent, isConfigKind, nameOfEntry } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import type { EventKind } from '../../events/stored.js'
import { isNodeEvent } from '../../events/node.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import type { Authorizer } from '../acl/authorizer.js'
import { readRight } from '../config/rights.js'
import { both, either, management, onNodes, readJob, right, rightOnAll, type Need } from './needs.js'

interface TopicRights {
  /** What a subscription to all keys needs (undefined), or to one literal key. */
  readonly gate: (key: string | undefined) => Need
  /** Whether one event may be seen. `tenancy` is the event's, with `default` for what has no namespace. */
  readonly sees: (authorizer: Authorizer, event: Event, tenancy: Tenancy) => boolean
  /** Where it is met, all events of a tenancy may be seen, whatever they are about; absent where each has to be looked at. */
  readonly all?: Need
  /** What an event needs besides where no gate was passed. */
  readonly needs?: Need
}

const nodeTenancy = ({ partition }: Tenancy): Tenancy => ({ partition, namespace: 'default' })

const seesNode = (authorizer: Authorizer, name: string, tenancy: Tenancy): boolean =>
  authorizer.may('node', 'read', name, nodeTenancy(tenancy))

/** A rule on the service decides; where there is none, read on the namespace is enough. */
const seesService = (authorizer: Authorizer, name: string, tenancy: Tenancy): boolean => {
  const { allowed, because } = authorizer.decide('service', 'read', name, tenancy)
  return allowed || (because.kind !== 'rule' && authorizer.may('namespace', 'read', '', tenancy))
}

const operator: TopicRights = {
  gate: () => right('operator', 'read'),
  sees: (authorizer, _event, tenancy) => authorizer.may('operator', 'read', '', tenancy),
  all: right('operator', 'read')
}

const accessControl: TopicRights = {
  gate: () => management,
  sees: (authorizer, _event, tenancy) => authorizer.may('acl', 'read', '', tenancy),
  all: right('acl', 'read'),
  needs: management
}

const job: TopicRights = {
  gate: () => readJob,
  sees: (authorizer, _event, tenancy) => readJob.isMet(authorizer, tenancy),
  all: readJob
}

const node: TopicRights = {
  gate: key => {
    const all = onNodes(rightOnAll('node'))
    return key === undefined ? all : either(onNodes(right('node', 'read', key)), all)
  },
  sees: (authorizer, event, tenancy) =>
    isNodeEvent(event) && seesNode(authorizer, event.Payload.Node.Name, tenancy),
  all: onNodes(rightOnAll('node'))
}

const service: TopicRights = {
  gate: key => (key === undefined ? readJob : either(right('service', 'read', key), readJob)),
  sees: (authorizer, event, tenancy) =>
    isServiceEvent(event) && seesService(authorizer, event.Payload.Service.ServiceName, tenancy),
  all: rightOnAll('service')
}

const check: TopicRights = {
  gate: node.gate,
  sees: (authorizer, event, tenancy) => {
    if (!isCheckEvent(event)) return false
    const { Node, ServiceName } = event.Payload.Check
    return (
      seesNode(authorizer, Node, tenancy) &&
      (ServiceName === '' || seesService(authorizer, ServiceName, tenancy))
    )
  },
  all: both(onNodes(rightOnAll('node')), rightOnAll('service'))
}

const keyValue: TopicRights = {
  gate: name => right('key', 'read', name),
  sees: (authorizer, event, tenancy) => authorizer.may('key', 'read', event.Key, tenancy),
  all: rightOnAll('key')
}

const session: TopicRights = {
  gate: () => rightOnAll('session'),
  sees: (authorizer, event, tenancy) =>
    isSessionEvent(event) && authorizer.may('session', 'read', event.Payload.Session.Node, tenancy),
  all: rightOnAll('session')
}

const preparedQuery: TopicRights = {
  gate: () => right('query', 'read'),
  sees: (authorizer, event, tenancy) =>
    isQueryEvent(event) && authorizer.may('query', 'read', event.Payload.PreparedQuery.Name, tenancy),
  all: rightOnAll('query')
}

/** Reading an entry needs what its kind says (config.md §1.4). */
const configEntry: TopicRights = {
  gate: () => right('operator', 'read'),
  sees: (authorizer, event, tenancy) => {
    if (!isConfigEntryEvent(event)) return false
    const entry = event.Payload.ConfigEntry
    // Nobody may see a kind that this version does not know.
    if (!isConfigKind(entry.Kind)) return false
    const needed = readRight(entry.Kind, nameOfEntry(entry), tenancy)
    return !needed || authorizer.may(needed.resource, needed.access, needed.segment, needed.tenancy)
  }
}

/** Topics that exist for clients of other servers; nothing here produces them. */
const silent: TopicRights = accessControl

const topics: ReadonlyMap<string, TopicRights> = new Map(
  Object.entries({
    ACLToken: accessControl,
    ACLPolicy: accessControl,
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
    NodePool: silent,
    HostVolume: silent,
    CSIVolume: silent,
    CSIPlugin: job,
    Variable: silent
  })
)

/** In place of a topic: all of them. */
export const ALL_TOPICS = '*'

/** Further names that a subscription may use, and the topic and type that they mean (decisions.md 25). */
export const ALIASES: ReadonlyMap<string, { readonly topic: string; readonly type?: string }> = new Map([
  ['ACLRoles', { topic: 'ACLRole' }],
  ['NodeDrain', { topic: 'Node', type: 'NodeDrain' }]
])

/** Whether a subscription may name the topic. */
export const isTopic = (name: string): boolean => name === ALL_TOPICS || topics.has(name)

/** What a subscription to a topic, or to one key of it, needs. All topics, and what is unknown, need management. */
export const gateOf = (topic: string, key: string | undefined): Need =>
  topics.get(topic)?.gate(key) ?? management

/** Of an event, with `default` for what has no namespace. */
const tenancyOf = ({ Partition, Namespace }: EventKind): Tenancy => ({
  partition: Partition,
  namespace: Namespace || 'default'
})

/** What the events of which the payload was erased need: what decides on many of them went with it. */
const erased = right('operator', 'read')

/**
 * Whether an authorizer lets an event through. An event of a topic that is not in the table reaches nobody.
 * @param isGated whether the gate of its topic was passed
 */
export const sees = (authorizer: Authorizer, event: Event, isGated = true): boolean => {
  const rights = topics.get(event.Topic)
  if (!rights) return false
  const tenancy = tenancyOf(event)
  if (event.Erased) return erased.isMet(authorizer, tenancy)
  return (
    rights.sees(authorizer, event, tenancy) &&
    (isGated || !rights.needs || rights.needs.isMet(authorizer, tenancy))
  )
}

/**
 * Whether an authorizer lets all events of a kind through, whatever they are about; also false where that can be told of each one only.
 * @param isGated as for `sees`
 */
export const seesAll = (authorizer: Authorizer, kind: EventKind, isGated = true): boolean => {
  const rights = topics.get(kind.Topic)
  // Some may have been erased.
  const needed = rights?.all && both(rights.all, erased, ...(isGated || !rights.needs ? [] : [rights.needs]))
  return needed?.isMet(authorizer, tenancyOf(kind)) ?? false
}
