// Shares one selection between streams with the same subscription and permissions.
import type { Authorizer } from '../../projections/acl/authorizer.js'
import { getOrCreate } from '../../projections/maps.js'
import type { RequiredPermission } from '../../projections/stream/required-permissions.js'
import type { RecentMessages } from '../../projections/stream/recent-messages.js'
import { Selection } from '../../projections/stream/selection.js'
import {
  Selector,
  requiredPermissionsOf,
  subscriptionId,
  type Subscription
} from '../../projections/stream/subscription.js'

interface Shared {
  readonly selection: Selection
  users: number
}

export const missingPermission = (
  subscription: Subscription,
  authorizer: Authorizer
): RequiredPermission | undefined =>
  requiredPermissionsOf(subscription).find(need => !need.isMet(authorizer, subscription.tenancy))

export class Selections {
  readonly #byAuthorizer = new Map<Authorizer, Map<string, Shared>>()

  constructor(
    private readonly recent: RecentMessages,
    private readonly batchBytes: number
  ) {}

  acquire(subscription: Subscription, authorizer: Authorizer): Selection {
    const byId = getOrCreate(this.#byAuthorizer, authorizer, () => new Map<string, Shared>())
    const shared = getOrCreate(byId, subscriptionId(subscription), () => {
      const selector = new Selector(subscription, authorizer)
      return { selection: new Selection(selector, this.recent, this.batchBytes), users: 0 }
    })
    shared.users++
    return shared.selection
  }

  release({ selector: { subscription, authorizer } }: Selection): void {
    const byId = this.#byAuthorizer.get(authorizer)
    const id = subscriptionId(subscription)
    const shared = byId?.get(id)
    if (!byId || !shared || --shared.users > 0) return
    byId.delete(id)
    if (byId.size === 0) this.#byAuthorizer.delete(authorizer)
  }
}
