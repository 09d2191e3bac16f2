import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import {
  isPolicyProposalEvent,
  POLICY_PROPOSAL_TOPIC,
  policyProposalDefinition,
  policyProposalEvents,
  type PolicyProposal
} from '../../events/policy-proposal.js'
import { parseTime } from '../../events/time.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { type Projection, resourceFact, type Fact } from '../projection.js'
import { TenancyRows } from '../table-projection.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'

const shown = resourceViewsOf(policyProposalDefinition)

export class PolicyProposalRow {
  /** Epoch milliseconds. */
  readonly expiresAt: number

  constructor(
    readonly proposal: PolicyProposal,
    readonly tenancy: Tenancy
  ) {
    this.expiresAt = parseTime(proposal.ExpirationTime) ?? 0
  }

  get json(): string {
    return JSON.stringify(shown(this.proposal, this.tenancy))
  }
}

/** Proposals by the ID of their policy; their watch keys begin with `policy-proposals` and `policy-proposal/`. Look-ups O(1). */
export class PolicyProposals extends TenancyRows<PolicyProposalRow> implements Projection {
  readonly topics = [POLICY_PROPOSAL_TOPIC]

  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'policy-proposals', singular: 'policy-proposal' },
      { key: row => row.proposal.ID, order: row => row.proposal.Name.toLowerCase(), unique: {}, multi: {} }
    )
  }

  /** Includes proposals that have expired but are not yet deleted. */
  get(id: string): PolicyProposalRow | undefined {
    return this.table.get(id.toLowerCase())
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isPolicyProposalEvent(event)) return
    const proposal = event.Payload.ACLPolicyProposal
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLPolicyProposalUpserted')
      this.table.put(new PolicyProposalRow(proposal, tenancy), Index)
    else this.table.delete(proposal.ID, Index)
    this.touch(tenancy, proposal.ID)
  }

  factOf({ tenancy, proposal }: PolicyProposalRow): Fact {
    return resourceFact(policyProposalEvents, proposal, { tenancy, Index: proposal.ModifyIndex })
  }
}
