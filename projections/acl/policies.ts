import type { Link } from '../../events/definition/types.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import {
  isPolicyEvent,
  POLICY_TOPIC,
  policyDefinition,
  policyEvents,
  type Policy
} from '../../events/policy.js'
import { type Projection, resourceFact, type Fact } from '../projection.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { NamedRows } from './named-rows.js'

const shown = resourceViewsOf(policyDefinition)
const listed = resourceViewsOf(policyDefinition, 'listed')

/** The response of a read and the list entry are cached. */
export class PolicyRow {
  readonly link: Link
  readonly order: string
  #json: string | undefined
  #listJson: string | undefined

  constructor(
    readonly policy: Policy,
    readonly tenancy: Tenancy
  ) {
    this.link = { ID: policy.ID, Name: policy.Name }
    this.order = policy.Name.toLowerCase()
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(shown(this.policy, this.tenancy)))
  }

  get listJson(): string {
    return (this.#listJson ??= JSON.stringify(listed(this.policy, this.tenancy)))
  }
}

/** Policies; their watch keys begin with `policies` and `policy/`. */
export class Policies extends NamedRows<PolicyRow> implements Projection {
  readonly topics = [POLICY_TOPIC]

  constructor(watch: Watch, below?: Policies) {
    super(watch, { singular: 'policy', plural: 'policies', multi: {} }, below)
  }

  apply(event: Event, commit: Commit): void {
    if (!isPolicyEvent(event)) return
    const policy = event.Payload.ACLPolicy
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLPolicyUpserted') this.put(new PolicyRow(policy, tenancy), commit.Index)
    else this.delete(policy.ID, event, commit.Index)
  }

  factOf({ tenancy, policy }: PolicyRow): Fact {
    return resourceFact(policyEvents, policy, { tenancy, Index: policy.ModifyIndex })
  }
}
