// Makes the events of ACL policies.
import type { Tenancy } from '../../events/envelope.js'
import { POLICY_TOPIC, type Policy, type PolicyDeleted, type PolicyUpserted } from '../../events/policy.js'
import { contentHash } from '../hash.js'
import { makeEvent } from '../make-event.js'

/** Everything of a policy that does not follow from the rest. */
export type PolicyContent = Omit<Policy, 'Hash'>

export const hashPolicy = ({ Name, Description, Rules, Datacenters }: PolicyContent): string =>
  contentHash(['policy', Name, Description, Rules, Datacenters])

export const policyUpserted = (tenancy: Tenancy, content: PolicyContent): PolicyUpserted => {
  const policy: Policy = { ...content, Hash: hashPolicy(content) }
  return makeEvent({
    Topic: POLICY_TOPIC,
    Type: 'ACLPolicyUpserted',
    Key: policy.ID,
    tenancy,
    FilterKeys: [policy.Name],
    Payload: { ACLPolicy: policy }
  })
}

export const policyDeleted = (tenancy: Tenancy, policy: Policy): PolicyDeleted =>
  makeEvent({
    Topic: POLICY_TOPIC,
    Type: 'ACLPolicyDeleted',
    Key: policy.ID,
    tenancy,
    FilterKeys: [policy.Name],
    Payload: { ACLPolicy: policy }
  })
