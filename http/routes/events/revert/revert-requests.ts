// The ordinary requests by which things become again what they were: one table, from topics to the operations of the API.
import { CONFIG_SECRETS, isAuthMethodEvent, authMethodDefinition } from '../../../../events/auth-method.js'
import { bindingRuleDefinition, isBindingRuleEvent } from '../../../../events/binding-rule.js'
import { checkResource, checkState, isCheckEvent } from '../../../../events/check.js'
import { hasHiddenSecret } from '../../../../events/check-secrets.js'
import { isConfigEntryEvent, nameOfEntry } from '../../../../events/config-entry.js'
import type { Event } from '../../../../events/envelope.js'
import { isKvEvent } from '../../../../events/kv.js'
import { isNamespaceEvent, namespaceDefinition } from '../../../../events/namespace.js'
import { isNodeEvent, nodeDefinition, nodeState } from '../../../../events/node.js'
import { isPartitionEvent, partitionDefinition } from '../../../../events/partition.js'
import { isPolicyEvent, policyDefinition } from '../../../../events/policy.js'
import { isQueryEvent, queryDefinition } from '../../../../events/prepared-query.js'
import { isRoleEvent, roleDefinition } from '../../../../events/role.js'
import { isServiceEvent, serviceDefinition, serviceState } from '../../../../events/service.js'
import { isTokenEvent, tokenDefinition } from '../../../../events/token.js'
import { invalid, Refusal } from '../../../../actors/refusal.js'
import { writeBackBodyOf } from '../../../schemas/write-back-body.js'
import { agentCheckWrite, agentServiceWrite } from './agent-writes.js'
import type { RevertContext, RevertWrite } from './revert-request.js'

/** How things of a topic are written. */
export interface Revertible {
  /** Whether several nodes may have things of the same key. */
  readonly isOnNode?: true
  /**
   * Undefined for an event of another topic.
   * @param isThere whether the thing is there now
   * @throws Refusal where the request would not make the thing what it was
   */
  put(event: Event, isThere: boolean, asking: RevertContext): RevertWrite | undefined
  remove(event: Event): RevertWrite | undefined
}

/** What stands in an event for a secret that travels apart. */
const HIDDEN = '<hidden>'

const erased = (): Refusal =>
  new Refusal('conflict', 'The secrets of that version are erased: it cannot be made again without them')

/** @throws Refusal `conflict` where a secret is not there any more */
const whole = <Body extends object>(body: Body): Body => {
  if (JSON.stringify(body).includes(`"${HIDDEN}"`)) throw erased()
  return body
}

/** Of things with an ID that the service gives: what is made again has the one of before. */
const withId = (kind: string, id: string, body: object, isThere: boolean): RevertWrite =>
  isThere
    ? { operationId: `update${kind}`, params: { id }, body }
    : { operationId: `create${kind}`, body, newId: id }

const policies: Revertible = {
  put: (event, isThere) =>
    isPolicyEvent(event)
      ? withId('Policy', event.Key, writeBackBodyOf(policyDefinition, event.Payload.ACLPolicy), isThere)
      : undefined,
  remove: ({ Key }) => ({ operationId: 'deletePolicy', params: { id: Key } })
}

const roles: Revertible = {
  put: (event, isThere) =>
    isRoleEvent(event)
      ? withId('Role', event.Key, writeBackBodyOf(roleDefinition, event.Payload.ACLRole), isThere)
      : undefined,
  remove: ({ Key }) => ({ operationId: 'deleteRole', params: { id: Key } })
}

const bindingRules: Revertible = {
  put: (event, isThere) =>
    isBindingRuleEvent(event)
      ? withId(
          'BindingRule',
          event.Key,
          writeBackBodyOf(bindingRuleDefinition, event.Payload.ACLBindingRule),
          isThere
        )
      : undefined,
  remove: ({ Key }) => ({ operationId: 'deleteBindingRule', params: { id: Key } })
}

/** What a token is to those who have its secret stays: only its content comes back, and the secret with one that is gone. */
const tokens: Revertible = {
  put: (event, isThere) => {
    if (!isTokenEvent(event)) return undefined
    const { SecretID: _, ...content } = writeBackBodyOf(tokenDefinition, event.Payload.ACLToken)
    if (isThere) return { operationId: 'updateToken', params: { AccessorID: event.Key }, body: content }
    const SecretID = event.Secrets?.['SecretID']
    if (!SecretID)
      throw new Refusal(
        'conflict',
        'The secret of the token is erased: whoever had it could not use it again. Create another token'
      )
    return { operationId: 'createToken', body: { ...content, SecretID } }
  },
  remove: ({ Key }) => ({ operationId: 'deleteToken', params: { AccessorID: Key } })
}

const authMethods: Revertible = {
  put: event => {
    if (!isAuthMethodEvent(event)) return undefined
    const { AuthMethod } = event.Payload
    const Config = { ...AuthMethod.Config }
    for (const name of CONFIG_SECRETS) {
      if (Config[name] === undefined) continue
      const secret = event.Secrets?.[name]
      if (secret === undefined) throw erased()
      Config[name] = secret
    }
    const body = { ...writeBackBodyOf(authMethodDefinition, AuthMethod), Config }
    return { operationId: 'updateAuthMethod', params: { name: event.Key }, body }
  },
  remove: ({ Key }) => ({ operationId: 'deleteAuthMethod', params: { name: Key } })
}

const namespaces: Revertible = {
  put: event =>
    isNamespaceEvent(event)
      ? {
          operationId: 'updateNamespace',
          params: { name: event.Key },
          body: writeBackBodyOf(namespaceDefinition, event.Payload.Namespace)
        }
      : undefined,
  remove: ({ Key }) => ({ operationId: 'deleteNamespace', params: { name: Key } })
}

const partitions: Revertible = {
  put: event =>
    isPartitionEvent(event)
      ? {
          operationId: 'updatePartition',
          params: { name: event.Key },
          body: writeBackBodyOf(partitionDefinition, event.Payload.Partition)
        }
      : undefined,
  remove: ({ Key }) => ({ operationId: 'deletePartition', params: { name: Key } })
}

const queries: Revertible = {
  put: (event, isThere) => {
    if (!isQueryEvent(event)) return undefined
    const Token = event.Secrets?.['Token'] ?? event.Payload.PreparedQuery.Token
    const body = whole({ ...writeBackBodyOf(queryDefinition, event.Payload.PreparedQuery), Token })
    return withId('Query', event.Key, body, isThere)
  },
  remove: ({ Key }) => ({ operationId: 'deleteQuery', params: { id: Key } })
}

/** The lock of an entry is its holder's: it stays as it is. */
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

// The catalog.

const register = (body: object): RevertWrite => ({ operationId: 'registerNode', body })
const deregister = (body: object): RevertWrite => ({ operationId: 'deregisterNode', body })

/** A registration would make the node anew, without an address. @throws Refusal `invalid` */
const requireNode = ({ views }: RevertContext, partition: string, node: string): void => {
  if (!views.catalog.node(partition, node))
    throw invalid(`Invalid key: its node ${JSON.stringify(node)} is gone: revert that first`)
}

const nodes: Revertible = {
  put: event => {
    if (!isNodeEvent(event)) return undefined
    const { Meta, ...node } = writeBackBodyOf(nodeDefinition, nodeState(event).node)
    return register({ ...node, NodeMeta: Meta })
  },
  remove: event => (isNodeEvent(event) ? deregister({ Node: event.Payload.Node.Name }) : undefined)
}

const services: Revertible = {
  isOnNode: true,
  put: (event, _isThere, asking) => {
    if (!isServiceEvent(event)) return undefined
    const state = serviceState(event)
    const { service, node, agent, partition } = state
    requireNode(asking, partition, node)
    if (agent) return agentServiceWrite(state, asking)
    return register({
      Node: node,
      SkipNodeUpdate: true,
      Service: writeBackBodyOf(serviceDefinition, service)
    })
  },
  remove: event =>
    isServiceEvent(event)
      ? deregister({ Node: event.Payload.Service.Node, ServiceID: event.Payload.Service.ID })
      : undefined
}

const checks: Revertible = {
  isOnNode: true,
  put: (event, _isThere, asking) => {
    if (!isCheckEvent(event)) return undefined
    const state = checkState(event)
    const { check, runner, partition } = state
    requireNode(asking, partition, check.Node)
    if (hasHiddenSecret(check.Definition) || hasHiddenSecret(runner ?? {})) throw erased()
    if (runner) return agentCheckWrite(state, asking)
    return register({ Node: check.Node, SkipNodeUpdate: true, Check: writeBackBodyOf(checkResource, check) })
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
