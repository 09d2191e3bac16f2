import { resourceEvents, type EventOf } from './envelope.js'
import { defineResource, generated, indexes, tenancy, textType, writable } from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'
import { policyDefinition } from './policy.js'

const { Name, Description, Rules, Datacenters } = policyDefinition.fields

/** The next version of a policy, which decides nothing until it is promoted. */
export const policyProposalDefinition = defineResource({
  name: 'PolicyProposal',
  example: {
    given: {
      ...policyDefinition.example.given,
      Rules: 'key_prefix "web/config/" { policy = "read" }'
    },
    made: {
      ID: '2b2b769b-e960-463b-99ea-0d2ff1b0e0a4',
      PolicyHash: '1lPic9SyasB1eNmJ8vHCZOpa1HfTuIgfdKY7kEH2BT8=',
      ExpirationTime: '2026-03-31T12:00:00Z',
      CreateTime: '2026-03-01T12:00:00Z',
      CreateIndex: 57,
      ModifyIndex: 57
    }
  },
  fields: {
    ID: generated(textType, 'ID of the policy'),
    Name,
    Description,
    Rules,
    Datacenters,
    ExpirationTime: writable(
      textType,
      'When the proposal ends, RFC 3339; by default in 30 days, at most in 90 days'
    ),
    PolicyHash: generated(textType, 'Hash of the policy that the proposal replaces; set by the service'),
    CreateTime: generated(textType, 'When it was first proposed, RFC 3339; set by the service'),
    ...tenancy,
    ...indexes
  }
})

export type PolicyProposal = Stored<typeof policyProposalDefinition.fields>
export type PolicyProposalInput = Input<typeof policyProposalDefinition.fields>

export const POLICY_PROPOSAL_TOPIC = 'ACLPolicyProposal'
/**
 * `ACLPolicyProposalDeleted`: it was withdrawn, has expired, or its policy was deleted. The commit of `ACLPolicyProposalPromoted` also
 * updates the policy.
 */
export const policyProposalEvents = resourceEvents({
  topic: POLICY_PROPOSAL_TOPIC,
  types: ['ACLPolicyProposalUpserted', 'ACLPolicyProposalDeleted', 'ACLPolicyProposalPromoted'],
  payloadOf: (proposal: PolicyProposal) => ({ ACLPolicyProposal: proposal }),
  keyOf: ({ ACLPolicyProposal }) => ACLPolicyProposal.ID,
  filterKeysOf: ({ ACLPolicyProposal }) => [ACLPolicyProposal.Name]
})
export type PolicyProposalEvent = EventOf<typeof policyProposalEvents>
export const isPolicyProposalEvent = policyProposalEvents.is
