// ACL policies (spec: acl.md §4).
import type { Tenancy } from '../events/envelope.js'
import {
  MANAGEMENT_POLICY_ID,
  type Policy,
  POLICY_TOPIC,
  type PolicyDeleted,
  type PolicyEvent,
  type PolicyInput,
  policyDefinition,
  type PolicyUpserted
} from '../events/policy.js'
import { parseRulesCached } from '../projections/acl/rules/parse.js'
import { RuleError } from '../projections/acl/rules/rule-error.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate } from './aggregate.js'
import type { Command } from './command.js'
import { contentsOf, hashesOf } from './content.js'
import { twoStateLifecycle } from './lifecycle.js'
import { createEvent } from './create-event.js'
import { invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'
import { isUuid } from './uuid.js'

type CreatePolicy = Command<'CreatePolicy', PolicyInput & { readonly newId: string }>
type UpdatePolicy = Command<'UpdatePolicy', PolicyInput & { readonly id: string }>
type DeletePolicy = Command<'DeletePolicy', { readonly id: string }>
export type PolicyCommand = CreatePolicy | UpdatePolicy | DeletePolicy

const policyLifecycle = twoStateLifecycle({
  topic: POLICY_TOPIC,
  created: 'ACLPolicyUpserted',
  ended: 'ACLPolicyDeleted',
  find: ({ policies }, { key }) => policies.get(key),
  builtin: MANAGEMENT_POLICY_ID
})

// Decisions (spec: acl.md §4.3)

const NAME = /^[A-Za-z0-9_-]{1,128}$/

const checkName = (name: string): void => {
  if (name === '') throw invalid('Invalid Policy: no Name is set')
  if (!NAME.test(name))
    throw invalid(
      "Invalid Policy: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most 128 of them"
    )
}

const checkRules = (rules: string, tenancy: Tenancy): void => {
  try {
    parseRulesCached(rules, tenancy)
  } catch (error) {
    if (error instanceof RuleError) throw invalid(`Invalid Policy: Rules: ${error.message}`)
    throw error
  }
}

const checkId = (id: string): void => {
  if (!isUuid(id)) throw invalid('Policy ID invalid UUID')
}

const contentOf = contentsOf(policyDefinition)

const create = ({ data, tenancy }: CreatePolicy, views: Views, index: number): PolicyEvent[] => {
  checkName(data.Name)
  if (views.policies.named(tenancy, data.Name))
    throw invalid(`Invalid Policy: A Policy with Name "${data.Name}" already exists`)
  checkRules(data.Rules, tenancy)
  return [
    policyUpserted(tenancy, { ID: data.newId, ...contentOf(data), CreateIndex: index, ModifyIndex: index })
  ]
}

const update = ({ data, tenancy }: UpdatePolicy, views: Views, index: number): PolicyEvent[] => {
  checkId(data.id)
  checkName(data.Name)
  const row = isWithinTenancy(views.policies.get(data.id), tenancy)
  if (!row) throw invalid(`cannot find policy ${data.id}`)
  // As measured, a rename to any existing name is refused, even to its own in other letter case.
  if (row.policy.Name !== data.Name && views.policies.named(tenancy, data.Name))
    throw invalid(`Invalid Policy: A policy with name "${data.Name}" already exists`)
  if (data.id === MANAGEMENT_POLICY_ID) {
    if (data.Rules !== row.policy.Rules)
      throw invalid('Changing the Rules for the builtin global-management policy is not permitted')
    if (data.Datacenters !== undefined)
      throw invalid('Changing the Datacenters of the builtin global-management policy is not permitted')
  }
  checkRules(data.Rules, tenancy)
  const { ID, CreateIndex } = row.policy
  return [policyUpserted(tenancy, { ID, ...contentOf(data), CreateIndex, ModifyIndex: index })]
}

const remove = ({ data, tenancy }: DeletePolicy, views: Views): PolicyEvent[] => {
  checkId(data.id)
  if (data.id === MANAGEMENT_POLICY_ID)
    throw invalid('Delete operation not permitted on the builtin global-management policy')
  const row = isWithinTenancy(views.policies.get(data.id), tenancy)
  return row ? [policyDeleted(tenancy, row.policy)] : []
}

/** @throws Refusal `invalid` */
const decidePolicy = (command: PolicyCommand, views: Views, index: number): PolicyEvent[] => {
  switch (command.name) {
    case 'CreatePolicy':
      return create(command, views, index)
    case 'UpdatePolicy':
      return update(command, views, index)
    case 'DeletePolicy':
      return remove(command, views)
  }
}

/** A policy without its derived fields. */
export type PolicyContent = Omit<Policy, 'Hash'>

const hashOf = hashesOf(policyDefinition)

export const policyUpserted = (tenancy: Tenancy, content: PolicyContent): PolicyUpserted => {
  const policy: Policy = { ...content, Hash: hashOf(content, ['policy']) }
  return createEvent({
    Topic: POLICY_TOPIC,
    Type: 'ACLPolicyUpserted',
    Key: policy.ID,
    tenancy,
    FilterKeys: [policy.Name],
    Payload: { ACLPolicy: policy }
  })
}

export const policyDeleted = (tenancy: Tenancy, policy: Policy): PolicyDeleted =>
  createEvent({
    Topic: POLICY_TOPIC,
    Type: 'ACLPolicyDeleted',
    Key: policy.ID,
    tenancy,
    FilterKeys: [policy.Name],
    Payload: { ACLPolicy: policy }
  })

export const policyAggregate: Aggregate<PolicyCommand> = {
  lifecycle: policyLifecycle,
  removals: ['DeletePolicy'],
  decide: decidePolicy
}
