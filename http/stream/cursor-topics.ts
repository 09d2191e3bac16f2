import { Lifecycle, scoped } from 'tsyringe'
import { newlineDelimited } from '../../projections/stream/framing.js'
import { readsSome } from '../../projections/stream/required-permissions.js'
import type { RequestContext } from '../wire/request-context.js'
import { SubscriptionRequests } from './subscription-requests.js'
import { cursorValues, type CursorSelection } from './cursor-values.js'
import { subscriptionOf } from './subscription-parsing.js'

@scoped(Lifecycle.ContainerScoped)
export class CursorTopics {
  constructor(private readonly requests: SubscriptionRequests) {}

  /**
   * @throws Refusal `invalid` for a selection that no stream can have; `denied` if the caller may not stream it, or would see none of it
   */
  require(request: RequestContext, selection: CursorSelection): void {
    const subscription = subscriptionOf({ values: cursorValues(selection) }, newlineDelimited)
    this.requests.requireRights(request, subscription, [readsSome])
  }
}
