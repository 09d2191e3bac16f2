// What filter expressions may select of the payloads of events, as the stream shows them (spec: stream.md §10, §15).
import { authMethodShape } from '../../events/auth-method.js'
import { bindingRuleShape } from '../../events/binding-rule.js'
import { checkShape } from '../../events/check.js'
import { kvShape } from '../../events/kv.js'
import { namespaceShape } from '../../events/namespace.js'
import { nodeShape } from '../../events/node.js'
import { partitionShape } from '../../events/partition.js'
import { policyShape } from '../../events/policy.js'
import { queryShape } from '../../events/prepared-query.js'
import { roleShape } from '../../events/role.js'
import { serviceShape } from '../../events/service.js'
import { sessionShape } from '../../events/session.js'
import { tokenShape } from '../../events/token.js'
import { bool, map, number, object, string, type Fields } from '../language/fields.js'
import { filterFieldsOf } from '../shape/filter-fields.js'

const indexes: Fields = { CreateIndex: number, ModifyIndex: number }
const place: Fields = { Namespace: string, Partition: string }

/** Clients of the stream know some fields of nodes and services by other names than the catalog. */
const { Node: _node, ...ofNode } = filterFieldsOf(nodeShape.fields)
const node = {
  ...ofNode,
  Name: string,
  HTTPAddr: string,
  Attributes: map(string),
  SchedulingEligibility: string,
  Status: string,
  StatusUpdatedAt: number,
  TLSEnabled: bool,
  Drain: bool,
  Partition: string,
  ...indexes
}

const { Service: _service, ...ofService } = filterFieldsOf(serviceShape.fields)
const service = {
  ...ofService,
  ...place,
  ServiceName: string,
  ServiceAddress: string,
  Node: string,
  NodeID: string,
  Datacenter: string,
  ...indexes
}

/** What all kinds have. */
const configEntry = { Kind: string, Name: string, Meta: map(string), ...place, ...indexes }

/** By the name under which a payload has its thing. */
export const PAYLOAD_FIELDS: Fields = {
  ACLBindingRule: object(filterFieldsOf(bindingRuleShape.fields)),
  ACLPolicy: object(filterFieldsOf(policyShape.fields)),
  ACLRole: object(filterFieldsOf(roleShape.fields)),
  ACLToken: object(filterFieldsOf(tokenShape.fields)),
  // Nanoseconds, as it is stored.
  AuthMethod: object({ ...filterFieldsOf(authMethodShape.fields), MaxTokenTTL: number }),
  Check: object({ ...filterFieldsOf(checkShape.fields), ...place, ...indexes }),
  ConfigEntry: object(configEntry),
  KV: object({ ...filterFieldsOf(kvShape.fields), ...place }),
  Namespace: object(filterFieldsOf(namespaceShape.fields)),
  Node: object(node),
  Partition: object(filterFieldsOf(partitionShape.fields)),
  PreparedQuery: object(filterFieldsOf(queryShape.fields)),
  Service: object(service),
  Session: object({ ...filterFieldsOf(sessionShape.fields), ...place })
}
