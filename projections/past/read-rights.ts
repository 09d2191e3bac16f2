// The rights by which somebody may read what an event tells of a thing: those of reading the thing itself.
import { isCheckEvent } from '../../events/check.js'
import { isConfigEntryEvent, isConfigKind, nameOfEntry } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { KV_TOPIC } from '../../events/kv.js'
import { isNodeEvent } from '../../events/node.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import type { Resource } from '../acl/authorizer.js'
import { readRight, type Right } from '../config/rights.js'

const ACL_TOPICS: ReadonlySet<string> = new Set([
  'ACLToken',
  'ACLPolicy',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule'
])

const read = (resource: Resource, segment: string, tenancy: Tenancy): Right => ({
  resource,
  access: 'read',
  segment,
  tenancy
})

/** Nodes have no namespace: their rules stand in `default`. */
const ofNode = (name: string, { partition }: Tenancy): Right =>
  read('node', name, { partition, namespace: 'default' })

/**
 * All of them are needed. What is of no namespace is asked for in `default`. Events that tell of the server itself, and those whose
 * payload was erased where that names the thing, need `operator:read`.
 */
export const readRights = (event: Event): readonly Right[] => {
  const tenancy: Tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  if (ACL_TOPICS.has(event.Topic)) return [read('acl', '', tenancy)]
  if (event.Topic === KV_TOPIC) return [read('key', event.Key, tenancy)]
  const operator = read('operator', '', tenancy)
  if (event.Erased) return [operator]
  if (isNodeEvent(event)) return [ofNode(event.Payload.Node.Name, tenancy)]
  if (isServiceEvent(event)) return [read('service', event.Payload.Service.ServiceName, tenancy)]
  if (isCheckEvent(event)) {
    const { Node, ServiceName } = event.Payload.Check
    const node = ofNode(Node, tenancy)
    return ServiceName === '' ? [node] : [node, read('service', ServiceName, tenancy)]
  }
  if (isSessionEvent(event)) return [read('session', event.Payload.Session.Node, tenancy)]
  if (isQueryEvent(event)) return [read('query', event.Payload.PreparedQuery.Name, tenancy)]
  if (isConfigEntryEvent(event)) {
    const entry = event.Payload.ConfigEntry
    if (!isConfigKind(entry.Kind)) return [operator]
    const right = readRight(entry.Kind, nameOfEntry(entry), tenancy)
    return right ? [right] : []
  }
  return [operator]
}
