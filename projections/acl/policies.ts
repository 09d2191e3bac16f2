import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import {
  isPolicyEvent,
  POLICY_TOPIC,
  policyDefinition,
  type Policy,
  type PolicyUpserted
} from '../../events/policy.js'
import { type Projection, fact, type Fact } from '../projection.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { NamedRows } from './named-rows.js'

export interface PolicyRow {
  readonly policy: Policy
  readonly tenancy: Tenancy
  readonly json: string
  readonly listJson: string
}

const shown = resourceViewsOf(policyDefinition)
const listed = resourceViewsOf(policyDefinition, 'listed')

const toRow = (policy: Policy, tenancy: Tenancy): PolicyRow => ({
  policy,
  tenancy,
  json: JSON.stringify(shown(policy, tenancy)),
  listJson: JSON.stringify(listed(policy, tenancy))
})

/** Policies; their watch keys begin with `policies` and `policy/`. */
export class Policies extends NamedRows<PolicyRow> implements Projection {
  readonly topics = [POLICY_TOPIC]

  constructor(watch: Watch) {
    super(watch, {
      singular: 'policy',
      plural: 'policies',
      idOf: row => row.policy.ID,
      nameOf: row => row.policy.Name,
      multi: {}
    })
  }

  apply(event: Event, commit: Commit): void {
    if (!isPolicyEvent(event)) return
    const policy = event.Payload.ACLPolicy
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLPolicyUpserted') this.put(toRow(policy, tenancy), event, commit.Index)
    else this.delete(policy.ID, event, commit.Index)
  }

  protected factOf({ tenancy, policy }: PolicyRow): Fact {
    return fact<PolicyUpserted>({
      Topic: POLICY_TOPIC,
      Type: 'ACLPolicyUpserted',
      Key: policy.ID,
      tenancy,
      Index: policy.ModifyIndex,
      Payload: { ACLPolicy: policy }
    })
  }
}
