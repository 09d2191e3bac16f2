import { authMethodDefinition } from '../../events/auth-method.js'
import { bindingRuleDefinition } from '../../events/binding-rule.js'
import { checkResource } from '../../events/check.js'
import { kvDefinition } from '../../events/kv.js'
import { namespaceDefinition, partitionDefinition } from '../../events/namespace.js'
import { nodeDefinition } from '../../events/node.js'
import { policyDefinition } from '../../events/policy.js'
import { policyProposalDefinition } from '../../events/policy-proposal.js'
import { queryDefinition } from '../../events/prepared-query.js'
import { roleDefinition } from '../../events/role.js'
import { serviceDefinition } from '../../events/service.js'
import { sessionDefinition } from '../../events/session.js'
import { tokenDefinition } from '../../events/token.js'
import { bool, map, number, object, string, type Fields } from '../language/filter-syntax.js'
import { filterFieldsOf } from '../../events/definition/forms/forms.js'

const indexes: Fields = { CreateIndex: number, ModifyIndex: number }
const place: Fields = { Namespace: string, Partition: string }

/** The stream has other names than the catalog for some fields of nodes and services. */
const { Node: _node, ...ofNode } = filterFieldsOf(nodeDefinition.fields)
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

const { Service: _service, ...ofService } = filterFieldsOf(serviceDefinition.fields)
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

const configEntry = { Kind: string, Name: string, Meta: map(string), ...place, ...indexes }

/** By the name of the resource in the payload, as the stream shows them (spec: stream.md §10, §15). */
export const PAYLOAD_FIELDS: Fields = {
  ACLBindingRule: object(filterFieldsOf(bindingRuleDefinition.fields)),
  ACLPolicy: object(filterFieldsOf(policyDefinition.fields)),
  ACLPolicyProposal: object(filterFieldsOf(policyProposalDefinition.fields)),
  ACLRole: object(filterFieldsOf(roleDefinition.fields)),
  ACLToken: object(filterFieldsOf(tokenDefinition.fields)),
  // Nanoseconds, as stored.
  AuthMethod: object({ ...filterFieldsOf(authMethodDefinition.fields), MaxTokenTTL: number }),
  Check: object({ ...filterFieldsOf(checkResource.fields), ...place, ...indexes }),
  ConfigEntry: object(configEntry),
  KV: object({ ...filterFieldsOf(kvDefinition.fields), ...place }),
  Namespace: object(filterFieldsOf(namespaceDefinition.fields)),
  Node: object(node),
  Partition: object(filterFieldsOf(partitionDefinition.fields)),
  PreparedQuery: object(filterFieldsOf(queryDefinition.fields)),
  Service: object(service),
  Session: object({ ...filterFieldsOf(sessionDefinition.fields), ...place })
}
