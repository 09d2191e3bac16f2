// ACL policies (spec: acl.md §4).
import type { Tenancy } from '../events/envelope.js'
import {
  MANAGEMENT_POLICY_ID,
  type Policy,
  type PolicyEvent,
  policyEvents,
  type PolicyInput,
  policyDefinition
} from '../events/policy.js'
import { type PolicyProposalEvent, policyProposalEvents } from '../events/policy-proposal.js'
import { parseRulesCached } from '../projections/acl/rules/parsed-rules.js'
import { RuleError } from '../projections/acl/rules/model.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf, hashesOf } from './content.js'
import { twoStateLifecycle } from './lifecycle.js'
import { namedDecisions } from './named-resource.js'
import { invalid } from './refusal.js'

type CreatePolicy = Command<'CreatePolicy', PolicyInput & { readonly newId: string }>
type UpdatePolicy = Command<'UpdatePolicy', PolicyInput & { readonly id: string }>
type DeletePolicy = Command<'DeletePolicy', { readonly id: string }>
export type PolicyCommand = CreatePolicy | UpdatePolicy | DeletePolicy

const checkRules = (rules: string, tenancy: Tenancy): void => {
  try {
    parseRulesCached(rules, tenancy)
  } catch (error) {
    if (error instanceof RuleError)
      throw invalid('acl.policy.rules-invalid', `Invalid Policy: Rules: ${error.message}`)
    throw error
  }
}

const checkBuiltin = ({ Rules, Datacenters }: PolicyInput, before: Policy): void => {
  if (before.ID !== MANAGEMENT_POLICY_ID) return
  if (Rules !== before.Rules)
    throw invalid(
      'acl.policy.built-in',
      'Changing the Rules for the builtin global-management policy is not permitted'
    )
  if (Datacenters !== undefined)
    throw invalid(
      'acl.policy.built-in',
      'Changing the Datacenters of the builtin global-management policy is not permitted'
    )
}

const contentOf = contentsOf(policyDefinition)
const hashOf = hashesOf(policyDefinition)

export type PolicyContent = Omit<Policy, 'Hash'>

export const policyUpserted = (tenancy: Tenancy, content: PolicyContent): PolicyEvent =>
  policyEvents.create('ACLPolicyUpserted', tenancy, { ...content, Hash: hashOf(content, ['policy']) })

const {
  create,
  update: updatePolicy,
  remove
} = namedDecisions({
  title: 'Policy',
  code: 'acl.policy',
  maxNameLength: 128,
  rowsOf: views => views.policies,
  resourceOf: row => row.policy,
  contentOf: (input: PolicyInput, tenancy, _views, before) => {
    if (before) checkBuiltin(input, before)
    checkRules(input.Rules, tenancy)
    return contentOf(input)
  },
  upserted: policyUpserted,
  deleted: (tenancy, policy) => policyEvents.create('ACLPolicyDeleted', tenancy, policy),
  checkDeletable: id => {
    if (id === MANAGEMENT_POLICY_ID)
      throw invalid(
        'acl.policy.built-in',
        'Delete operation not permitted on the builtin global-management policy'
      )
  }
})

/** Decides an update, which a promotion of a proposal is too. */
export { updatePolicy }

/** The proposal of a policy ends with it. */
const removeWithProposal = (command: DeletePolicy, views: Views) =>
  remove(command, views).flatMap((deleted): (PolicyEvent | PolicyProposalEvent)[] => {
    const row = views.policyProposals.get(deleted.Key)
    const ended = row && policyProposalEvents.create('ACLPolicyProposalDeleted', row.tenancy, row.proposal)
    return ended ? [ended, deleted] : [deleted]
  })

export const policyAggregate: Aggregate<PolicyCommand> = {
  lifecycle: twoStateLifecycle(policyEvents, ({ policies }, { key }) => policies.get(key), {
    builtin: MANAGEMENT_POLICY_ID
  }),
  removals: ['DeletePolicy'],
  decide: decideBy({ CreatePolicy: create, UpdatePolicy: updatePolicy, DeletePolicy: removeWithProposal })
}
