// A service instance for queries and DNS, of this datacenter or of another one.
import type { Tenancy } from '../../events/envelope.js'
import type { Steps } from '../steps.js'

type Texts = Readonly<Record<string, string>>

export interface InstanceNode {
  readonly Node: string
  readonly Address: string
  readonly Datacenter: string
  readonly TaggedAddresses: Texts | null
  readonly Meta: Texts | null
}

export interface InstanceService {
  readonly Kind?: string
  readonly ID: string
  readonly Service: string
  readonly Tags: readonly string[] | null
  readonly Address: string
  readonly TaggedAddresses?: Readonly<
    Record<string, { readonly Address: string; readonly Port: number }>
  > | null
  readonly Meta: Texts | null
  readonly Port: number
  readonly Weights: { readonly Passing: number; readonly Warning: number }
}

export interface InstanceCheck {
  readonly CheckID: string
  readonly Status: string
}

export interface Instance {
  /** The tenancy of the service; the node is in the same partition. */
  readonly tenancy: Tenancy
  readonly node: InstanceNode
  readonly service: InstanceService
  /** The checks of the node, then its own. */
  readonly checks: readonly InstanceCheck[]
  /** The instance in an execute response, as JSON without the closing brace (queries.md §6.2). */
  readonly json: Buffer
}

export interface Instances {
  /** Returns the same list until an instance of it changes; so does `connect`. */
  of(tenancy: Tenancy, service: string): Steps<readonly Instance[]>
  /** Connect instances: proxies of the service, and native instances of it. */
  connect(tenancy: Tenancy, service: string): Steps<readonly Instance[]>
  /** The ingress gateways that expose the service. */
  ingress(tenancy: Tenancy, service: string): Steps<readonly Instance[]>
}

/** The worst status of checks; an unknown status counts as a warning. */
export const worstStatus = (checks: readonly InstanceCheck[]): 'passing' | 'warning' | 'critical' => {
  let worst: 'passing' | 'warning' = 'passing'
  for (const { Status } of checks) {
    if (Status === 'critical') return 'critical'
    if (Status !== 'passing') worst = 'warning'
  }
  return worst
}
