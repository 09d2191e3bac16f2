// Shares one selection between streams with the same subscription and permissions.
import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { RequiredPermission } from '../../projections/stream/required-permissions.js'
import type { RecentMessages } from '../../projections/stream/recent-messages.js'
import { Selection } from '../../projections/stream/selection.js'
import { Selector } from '../../projections/stream/selector.js'
import {
  requiredPermissionsOf,
  subscriptionId,
  type Subscription
} from '../../projections/stream/subscription.js'

interface Shared {
  readonly selection: Selection
  readonly release: () => void
  users: number
}

export const missingPermission = (
  subscription: Subscription,
  authorizer: Authorizer
): RequiredPermission | undefined =>
  requiredPermissionsOf(subscription).find(need => !need.isMet(authorizer, subscription.tenancy))

export class Selections {
  readonly #byAuthorizer = new Map<Authorizer, Map<string, Shared>>()
  readonly #bySelection = new Map<Selection, Shared>()

  constructor(
    private readonly recent: RecentMessages,
    private readonly batchBytes: number
  ) {}

  acquire(subscription: Subscription, authorizer: Authorizer): Selection {
    const id = subscriptionId(subscription)
    const ofAuthorizer = this.#byAuthorizer.get(authorizer) ?? new Map<string, Shared>()
    this.#byAuthorizer.set(authorizer, ofAuthorizer)
    const shared =
      ofAuthorizer.get(id) ??
      this.#create(subscription, authorizer, () => {
        ofAuthorizer.delete(id)
        if (ofAuthorizer.size === 0) this.#byAuthorizer.delete(authorizer)
      })
    ofAuthorizer.set(id, shared)
    shared.users++
    return shared.selection
  }

  release(selection: Selection): void {
    const shared = this.#bySelection.get(selection)
    if (!shared || --shared.users > 0) return
    this.#bySelection.delete(selection)
    shared.release()
  }

  #create(subscription: Subscription, authorizer: Authorizer, release: () => void): Shared {
    const selection = new Selection(new Selector(subscription, authorizer), this.recent, this.batchBytes)
    const shared = { selection, release, users: 0 }
    this.#bySelection.set(selection, shared)
    return shared
  }
}
