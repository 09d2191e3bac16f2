// The instances that a query may answer with, before order and limit, kept until something they follow from changes.
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Authorizer } from '../acl/authorizer.js'
import type { Found } from './found.js'
import type { Instance, Instances } from './instance.js'
import { selectInstances } from './select.js'

/** Where the rules for nodes of a partition stand. */
export const nodeTenancy = ({ partition }: Tenancy): Tenancy => ({
  partition,
  namespace: DEFAULT_TENANCY.namespace
})

/** An instance may be seen with read on its service and on its node. */
export const maySee =
  (authorizer: Authorizer) =>
  ({ tenancy, node, service }: Instance): boolean =>
    authorizer.may('service', 'read', service.Service, tenancy) &&
    authorizer.may('node', 'read', node.Node, nodeTenancy(tenancy))

/** What was worked out last, with all that it follows from. */
interface Kept {
  /** Of the service, whatever their state. */
  readonly all: readonly Instance[]
  /** Those that the query means. */
  readonly selected: readonly Instance[]
  readonly authorizer: Authorizer
  /** Those of them that the authorizer shows. */
  readonly visible: readonly Instance[]
}

/**
 * Candidates of queries. The first look-up after a change of the query, of an instance or of the rights costs the
 * instances of the service times the conditions of the query; further ones O(1). Memory: two references for each
 * instance of a query, as long as the query is as it is.
 */
export class Candidates {
  readonly #source: Instances
  readonly #byName = new WeakMap<Found, Kept>()
  readonly #byConnect = new WeakMap<Found, Kept>()

  constructor(source: Instances) {
    this.#source = source
  }

  /**
   * The instances that a query means and an authorizer shows, in the order of the source.
   * @param connect asks for what Connect reaches even if the query does not
   */
  of(found: Found, connect: boolean, authorizer: Authorizer): readonly Instance[] {
    const { service, tenancy } = found
    const isConnect = service.Connect || connect
    const kept = isConnect ? this.#byConnect : this.#byName
    const all = isConnect
      ? this.#source.connect(tenancy, service.Service)
      : this.#source.of(tenancy, service.Service)
    const known = kept.get(found)
    const isKnown = known?.all === all
    if (isKnown && known.authorizer === authorizer) return known.visible
    const selected = isKnown ? known.selected : selectInstances(all, service)
    const visible = selected.filter(maySee(authorizer))
    kept.set(found, { all, selected, authorizer, visible })
    return visible
  }
}
