// The ordinary requests that revert resources: a table from topics to operations of the API.
import { CONFIG_SECRETS, isAuthMethodEvent, authMethodDefinition } from '../../../../events/auth-method.js'
import { bindingRuleDefinition, isBindingRuleEvent } from '../../../../events/binding-rule.js'
import {
  checkResource,
  checkState,
  isCheckEvent,
  type CheckState,
  NODE_MAINTENANCE,
  runnerFields
} from '../../../../events/check.js'
import { hasHiddenSecret } from '../../../../events/check-secrets.js'
import { isConfigEntryEvent, nameOfEntry } from '../../../../events/config-entry.js'
import { type Event, DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { isKvEvent } from '../../../../events/kv.js'
import {
  isNamespaceEvent,
  isPartitionEvent,
  namespaceDefinition,
  partitionDefinition
} from '../../../../events/namespace.js'
import { isNodeEvent, nodeDefinition, nodeState } from '../../../../events/node.js'
import { isPolicyEvent, policyDefinition } from '../../../../events/policy.js'
import { isQueryEvent, queryDefinition } from '../../../../events/prepared-query.js'
import { isRoleEvent, roleDefinition } from '../../../../events/role.js'
import {
  isServiceEvent,
  serviceDefinition,
  serviceState,
  type ServiceState
} from '../../../../events/service.js'
import { isTokenEvent, tokenDefinition } from '../../../../events/token.js'
import { HIDDEN } from '../../../../events/values.js'
import { invalid, Refusal } from '../../../../actors/refusal.js'
import { writeBackFields } from '../../../../events/definition/forms/forms.js'
import type { RequestContext } from '../../../wire/request-context.js'

/** Each agent writes only to its own node. @throws Refusal `invalid` */
const requireOwnAgent = ({ agentNode }: RevertContext, partition: string, node: string): void => {
  if (partition !== DEFAULT_TENANCY.partition || node.toLowerCase() !== agentNode.toLowerCase())
    throw invalid(
      'revert.invalid',
      `Invalid node: it was registered at the agent of ${JSON.stringify(node)}, and this is the agent of ${JSON.stringify(agentNode)}: ask that server`
    )
}

/** Bodies of agent requests omit null fields. */
const withoutNulls = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Registers a service without its checks, which stay unchanged. @throws Refusal `invalid` for a service of another agent */
const agentServiceWrite = (
  { service, node, partition }: ServiceState,
  context: RevertContext
): RevertWrite => {
  requireOwnAgent(context, partition, node)
  const { Service: Name, ...fields } = withoutNulls(writeBackFields(serviceDefinition.fields, service))
  return { operationId: 'registerService', body: { ...fields, Name } }
}

/**
 * Registers a check, or enables the maintenance mode that it represents. The check's next run replaces the status.
 * @throws Refusal `invalid` for a check of another agent
 */
const agentCheckWrite = (
  { check, runner = {}, partition }: CheckState,
  context: RevertContext
): RevertWrite => {
  const { Node, CheckID, Name, Status, Notes, ServiceID, Type } = check
  requireOwnAgent(context, partition, Node)
  if (Type === 'maintenance') {
    const query = { enable: 'true', reason: Notes }
    return CheckID === NODE_MAINTENANCE
      ? { operationId: 'setNodeMaintenance', query }
      : { operationId: 'setServiceMaintenance', params: { id: ServiceID }, query }
  }
  const runnerBody = writeBackFields(runnerFields, runner)
  return {
    operationId: 'registerCheck',
    body: { ...runnerBody, ID: CheckID, Name, Status, Notes, ServiceID }
  }
}

export interface RevertWrite {
  readonly operationId: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is a buffer. */
  readonly body?: object
  /** The ID of a created resource. */
  readonly newId?: string
}

type RevertContext = Pick<RequestContext, 'views' | 'agentNode'>

export interface Revertible {
  /** Whether several nodes may have resources with the same key. */
  readonly isOnNode?: true
  /**
   * Returns undefined for an event of another topic.
   * @param exists whether the resource exists now
   * @throws Refusal if the request would not restore the version
   */
  put(event: Event, exists: boolean, context: RevertContext): RevertWrite | undefined
  remove(event: Event): RevertWrite | undefined
}

const secretsErased = (): Refusal =>
  new Refusal('revert.conflict', 'The secrets of that version are erased: it cannot be restored without them')

/** @throws Refusal `conflict` if a secret was erased */
const requireSecrets = <Body extends object>(body: Body): Body => {
  if (JSON.stringify(body).includes(`"${HIDDEN}"`)) throw secretsErased()
  return body
}

/** A recreated resource keeps its generated ID. @param bodyOf returns undefined for an event of another topic */
const revertibleById = (kind: string, bodyOf: (event: Event) => object | undefined): Revertible => ({
  put: (event, exists) => {
    const body = bodyOf(event)
    if (!body) return undefined
    return exists
      ? { operationId: `update${kind}`, params: { id: event.Key }, body }
      : { operationId: `create${kind}`, body, newId: event.Key }
  },
  remove: ({ Key }) => ({ operationId: `delete${kind}`, params: { id: Key } })
})

/** @param bodyOf returns undefined for an event of another topic */
const revertibleByName = (kind: string, bodyOf: (event: Event) => object | undefined): Revertible => ({
  put: event => {
    const body = bodyOf(event)
    return body && { operationId: `update${kind}`, params: { name: event.Key }, body }
  },
  remove: ({ Key }) => ({ operationId: `delete${kind}`, params: { name: Key } })
})

const policies = revertibleById('Policy', event =>
  isPolicyEvent(event) ? writeBackFields(policyDefinition.fields, event.Payload.ACLPolicy) : undefined
)

const roles = revertibleById('Role', event =>
  isRoleEvent(event) ? writeBackFields(roleDefinition.fields, event.Payload.ACLRole) : undefined
)

const bindingRules = revertibleById('BindingRule', event =>
  isBindingRuleEvent(event)
    ? writeBackFields(bindingRuleDefinition.fields, event.Payload.ACLBindingRule)
    : undefined
)

/** Holders of a token's secret keep it: a revert restores the content, and the secret only of a deleted token. */
const tokens: Revertible = {
  put: (event, exists) => {
    if (!isTokenEvent(event)) return undefined
    const { SecretID: _, ...content } = writeBackFields(tokenDefinition.fields, event.Payload.ACLToken)
    if (exists) return { operationId: 'updateToken', params: { AccessorID: event.Key }, body: content }
    const SecretID = event.Secrets?.['SecretID']
    if (!SecretID)
      throw new Refusal(
        'revert.conflict',
        'The secret of the token is erased: its holders could not use it again. Create another token'
      )
    return { operationId: 'createToken', body: { ...content, SecretID } }
  },
  remove: ({ Key }) => ({ operationId: 'deleteToken', params: { AccessorID: Key } })
}

const authMethods = revertibleByName('AuthMethod', event => {
  if (!isAuthMethodEvent(event)) return undefined
  const { AuthMethod } = event.Payload
  const Config = { ...AuthMethod.Config }
  for (const name of CONFIG_SECRETS) {
    if (Config[name] === undefined) continue
    const secret = event.Secrets?.[name]
    if (secret === undefined) throw secretsErased()
    Config[name] = secret
  }
  return { ...writeBackFields(authMethodDefinition.fields, AuthMethod), Config }
})

const namespaces = revertibleByName('Namespace', event =>
  isNamespaceEvent(event) ? writeBackFields(namespaceDefinition.fields, event.Payload.Namespace) : undefined
)

const partitions = revertibleByName('Partition', event =>
  isPartitionEvent(event) ? writeBackFields(partitionDefinition.fields, event.Payload.Partition) : undefined
)

const queries = revertibleById('Query', event => {
  if (!isQueryEvent(event)) return undefined
  const Token = event.Secrets?.['Token'] ?? event.Payload.PreparedQuery.Token
  return requireSecrets({ ...writeBackFields(queryDefinition.fields, event.Payload.PreparedQuery), Token })
})

/** A revert does not change the lock of an entry. */
const keys: Revertible = {
  put: event => {
    if (!isKvEvent(event)) return undefined
    const { Value, Flags } = event.Payload.KV
    return {
      operationId: 'writeKey',
      params: { key: event.Key },
      query: { flags: String(Flags) },
      body: Buffer.from(Value ?? '', 'base64')
    }
  },
  remove: ({ Key }) => ({ operationId: 'deleteKey', params: { key: Key } })
}

const configEntries: Revertible = {
  put: event => {
    if (!isConfigEntryEvent(event)) return undefined
    const { CreateIndex: _created, ModifyIndex: _modified, ...body } = event.Payload.ConfigEntry
    return { operationId: 'writeConfigEntry', body }
  },
  remove: event => {
    if (!isConfigEntryEvent(event)) return undefined
    const { ConfigEntry } = event.Payload
    const params = { kind: ConfigEntry.Kind, name: nameOfEntry(ConfigEntry) }
    return { operationId: 'deleteConfigEntry', params }
  }
}

const register = (body: object): RevertWrite => ({ operationId: 'registerNode', body })
const deregister = (body: object): RevertWrite => ({ operationId: 'deregisterNode', body })

/** A registration would create the node without an address. @throws Refusal `invalid` */
const requireNode = ({ views }: RevertContext, partition: string, node: string): void => {
  if (!views.catalog.node(partition, node))
    throw invalid(
      'revert.invalid',
      `Invalid key: its node ${JSON.stringify(node)} is gone: revert that first`
    )
}

const nodes: Revertible = {
  put: event => {
    if (!isNodeEvent(event)) return undefined
    const { Meta, ...node } = writeBackFields(nodeDefinition.fields, nodeState(event).node)
    return register({ ...node, NodeMeta: Meta })
  },
  remove: event => (isNodeEvent(event) ? deregister({ Node: event.Payload.Node.Name }) : undefined)
}

const services: Revertible = {
  isOnNode: true,
  put: (event, _exists, context) => {
    if (!isServiceEvent(event)) return undefined
    const state = serviceState(event)
    const { service, node, agent, partition } = state
    requireNode(context, partition, node)
    if (agent) return agentServiceWrite(state, context)
    return register({
      Node: node,
      SkipNodeUpdate: true,
      Service: writeBackFields(serviceDefinition.fields, service)
    })
  },
  remove: event =>
    isServiceEvent(event)
      ? deregister({ Node: event.Payload.Service.Node, ServiceID: event.Payload.Service.ID })
      : undefined
}

const checks: Revertible = {
  isOnNode: true,
  put: (event, _exists, context) => {
    if (!isCheckEvent(event)) return undefined
    const state = checkState(event)
    const { check, runner, partition } = state
    requireNode(context, partition, check.Node)
    if (hasHiddenSecret(check.Definition) || hasHiddenSecret(runner ?? {})) throw secretsErased()
    if (runner) return agentCheckWrite(state, context)
    return register({
      Node: check.Node,
      SkipNodeUpdate: true,
      Check: writeBackFields(checkResource.fields, check)
    })
  },
  remove: event =>
    isCheckEvent(event)
      ? deregister({ Node: event.Payload.Check.Node, CheckID: event.Payload.Check.CheckID })
      : undefined
}

/** By topic. */
export const REVERTIBLE: Readonly<Record<string, Revertible>> = {
  KV: keys,
  ACLPolicy: policies,
  ACLRole: roles,
  ACLToken: tokens,
  ACLAuthMethod: authMethods,
  ACLBindingRule: bindingRules,
  Namespace: namespaces,
  Partition: partitions,
  PreparedQuery: queries,
  ConfigEntry: configEntries,
  Node: nodes,
  Service: services,
  Check: checks
}
