import type { Tenancy } from '../../events/envelope.js'
import {
  policyProposalDefinition,
  policyProposalEvents,
  type PolicyProposal,
  type PolicyProposalEvent
} from '../../events/policy-proposal.js'
import { parseTime } from '../../events/time.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { TenancyRows } from '../table-projection.js'
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
export class PolicyProposals extends TenancyRows<PolicyProposalRow, PolicyProposal, PolicyProposalEvent> {
  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'policy-proposals', singular: 'policy-proposal' },
      {
        events: policyProposalEvents,
        rowOf: ({ Payload }, tenancy) => new PolicyProposalRow(Payload.ACLPolicyProposal, tenancy),
        resourceOf: row => row.proposal,
        key: row => row.proposal.ID,
        order: row => row.proposal.Name.toLowerCase(),
        unique: {},
        multi: {}
      }
    )
  }

  /** Includes proposals that have expired but are not yet deleted. */
  get(id: string): PolicyProposalRow | undefined {
    return this.table.get(id.toLowerCase())
  }
}
