import type { Link } from '../../events/definition/types.js'
import type { Tenancy } from '../../events/envelope.js'
import { policyDefinition, policyEvents, type Policy, type PolicyEvent } from '../../events/policy.js'
import { resourceViewsOf } from '../definition/resource-views.js'
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
export class Policies extends NamedRows<PolicyRow, Policy, PolicyEvent> {
  constructor(watch: Watch, below?: Policies) {
    super(
      watch,
      {
        singular: 'policy',
        plural: 'policies',
        events: policyEvents,
        rowOf: ({ Payload }, tenancy) => new PolicyRow(Payload.ACLPolicy, tenancy),
        resourceOf: row => row.policy,
        multi: {}
      },
      below
    )
  }
}
