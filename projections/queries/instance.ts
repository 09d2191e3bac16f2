// A service instance as queries and DNS look at it, of this datacenter or of another.
import type { Tenancy } from '../../events/envelope.js'

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
  /** That of the service; the node is in the same partition. */
  readonly tenancy: Tenancy
  readonly node: InstanceNode
  readonly service: InstanceService
  /** Those of the node, then its own. */
  readonly checks: readonly InstanceCheck[]
  /** The instance in the form of an execute answer, as JSON without the closing brace (queries.md §6.2). */
  readonly json: Buffer
}

/** What selection reads of one datacenter. Letter case of names does not matter. */
export interface Instances {
  /** The same list as before when no instance of it has changed; so does `connect`. */
  of(tenancy: Tenancy, service: string): readonly Instance[]
  /** Those that Connect reaches under the name: proxies of the service, and native instances of it. */
  connect(tenancy: Tenancy, service: string): readonly Instance[]
  /** The ingress gateways that expose the service. */
  ingress(tenancy: Tenancy, service: string): readonly Instance[]
}

/** The worst of these checks; what is neither passing nor critical counts as a warning. */
export const worstStatus = (checks: readonly InstanceCheck[]): 'passing' | 'warning' | 'critical' => {
  let worst: 'passing' | 'warning' = 'passing'
  for (const { Status } of checks) {
    if (Status === 'critical') return 'critical'
    if (Status !== 'passing') worst = 'warning'
  }
  return worst
}
