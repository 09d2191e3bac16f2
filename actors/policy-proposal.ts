// Proposed next versions of policies, which decide nothing until they are promoted.
import { formatTime, parseTime } from '../events/time.js'
import {
  POLICY_PROPOSAL_TOPIC,
  policyProposalDefinition,
  type PolicyProposalEvent,
  policyProposalEvents,
  type PolicyProposalInput
} from '../events/policy-proposal.js'
import type { PolicyProposalRow } from '../projections/acl/policy-proposals.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import { lifecycleOf } from './lifecycle.js'
import { updatePolicy } from './policy.js'
import { invalid, Refusal } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'

type ProposePolicy = Command<'ProposePolicy', PolicyProposalInput & { readonly id: string }>
/** `cas` is the required ModifyIndex of the proposal. */
type PromotePolicy = Command<'PromotePolicy', { readonly id: string; readonly cas: number }>
type WithdrawPolicyProposal = Command<'WithdrawPolicyProposal', { readonly id: string }>
/** Deletes those of the proposals that have expired at the time of the command. */
type ExpirePolicyProposals = Command<'ExpirePolicyProposals', { readonly ids: readonly string[] }>
type PolicyProposalCommand = ProposePolicy | PromotePolicy | WithdrawPolicyProposal | ExpirePolicyProposals

const DAY_MS = 24 * 60 * 60_000
const DEFAULT_DAYS = 30
/** As long as questions are recorded. */
const MOST_DAYS = 90

/** Returns the end of a proposal in the form of commits. @throws Refusal `invalid` */
const expirationOf = (text: string, at: number): string => {
  if (text === '') return formatTime(at + DEFAULT_DAYS * DAY_MS)
  const end = parseTime(text)
  if (end === undefined || end <= at || end > at + MOST_DAYS * DAY_MS)
    throw invalid(
      'acl.policy.proposal-invalid',
      `Invalid PolicyProposal: ExpirationTime ${JSON.stringify(text.slice(0, 200))} must be a time of RFC 3339 in the next ${MOST_DAYS} days`
    )
  return formatTime(end)
}

/** Returns the content of the policy after the promotion. */
export const proposedPolicyOf = ({ proposal }: PolicyProposalRow) => {
  const { ID: id, Name, Description, Rules, Datacenters } = proposal
  return { id, Name, Description, Rules, Datacenters: Datacenters.length === 0 ? undefined : Datacenters }
}

/** Returns the proposal of a policy if it is in the tenancy and has not expired. @param at epoch milliseconds */
export const currentProposalOf = (
  { policyProposals }: Views,
  { tenancy, id, at }: Pick<Command, 'tenancy' | 'at'> & { readonly id: string }
): PolicyProposalRow | undefined => {
  const row = isWithinTenancy(policyProposals.get(id), tenancy)
  return row && at < row.expiresAt ? row : undefined
}

export const proposalNotFound = (id: string): Refusal =>
  new Refusal('acl.policy.proposal-not-found', `Policy ${id} has no proposal`)

/** @throws Refusal `missing` */
const requiredProposal = (
  { tenancy, at, data: { id } }: PromotePolicy | WithdrawPolicyProposal,
  views: Views
): PolicyProposalRow => {
  const row = currentProposalOf(views, { tenancy, at, id })
  if (!row) throw proposalNotFound(id)
  return row
}

const contentOf = contentsOf(policyProposalDefinition)

const propose = (command: ProposePolicy, views: Views, index: number): readonly PolicyProposalEvent[] => {
  const { data, tenancy, at } = command
  updatePolicy(command, views, index)
  const ExpirationTime = expirationOf(data.ExpirationTime, at)
  const live = views.policies.get(data.id)?.policy
  if (!live) return []
  const before = currentProposalOf(views, { tenancy, at, id: live.ID })?.proposal
  const proposal = {
    ID: live.ID,
    ...contentOf(data, { ExpirationTime }),
    PolicyHash: live.Hash,
    CreateTime: before?.CreateTime ?? formatTime(at),
    CreateIndex: before?.CreateIndex ?? index,
    ModifyIndex: index
  }
  return [policyProposalEvents.create('ACLPolicyProposalUpserted', tenancy, proposal)]
}

const promote = (command: PromotePolicy, views: Views, index: number) => {
  const row = requiredProposal(command, views)
  const { tenancy, proposal } = row
  const { ID, ModifyIndex, PolicyHash } = proposal
  if (command.data.cas !== ModifyIndex)
    throw new Refusal(
      'acl.policy.proposal-changed',
      `The proposal of policy ${ID} was changed by commit ${ModifyIndex}: cas ${command.data.cas} is not its ModifyIndex`
    )
  const live = views.policies.get(ID)?.policy
  if (live && live.Hash !== PolicyHash)
    throw new Refusal(
      'acl.policy.proposal-outdated',
      `Policy ${ID} was changed by commit ${live.ModifyIndex} after the proposal: propose again`
    )
  return [
    ...updatePolicy({ tenancy, data: proposedPolicyOf(row) }, views, index),
    policyProposalEvents.create('ACLPolicyProposalPromoted', tenancy, proposal)
  ]
}

const withdraw = (command: WithdrawPolicyProposal, views: Views): readonly PolicyProposalEvent[] => {
  const { tenancy, proposal } = requiredProposal(command, views)
  return [policyProposalEvents.create('ACLPolicyProposalDeleted', tenancy, proposal)]
}

const expire = ({ data, at }: ExpirePolicyProposals, { policyProposals }: Views) =>
  data.ids.flatMap(id => {
    const row = policyProposals.get(id)
    return row && at >= row.expiresAt
      ? [policyProposalEvents.create('ACLPolicyProposalDeleted', row.tenancy, row.proposal)]
      : []
  })

export const policyProposalAggregate: Aggregate<PolicyProposalCommand> = {
  lifecycle: lifecycleOf<PolicyProposalEvent>({
    topic: POLICY_PROPOSAL_TOPIC,
    states: {
      absent: { ACLPolicyProposalUpserted: 'open' },
      open: {
        ACLPolicyProposalUpserted: 'open',
        ACLPolicyProposalDeleted: 'absent',
        ACLPolicyProposalPromoted: 'absent'
      }
    },
    stateOf: ({ policyProposals }, { key }) => (policyProposals.get(key) ? 'open' : 'absent')
  }),
  removals: ['WithdrawPolicyProposal', 'ExpirePolicyProposals'],
  decide: decideBy({
    ProposePolicy: propose,
    PromotePolicy: promote,
    WithdrawPolicyProposal: withdraw,
    ExpirePolicyProposals: expire
  })
}
