// What a cursor is of: whatever a stream may be asked for, by those who may have such a stream.
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
   * @throws Refusal `invalid` for what a stream cannot be asked for; `denied` when the caller may not have a stream of it, or would see nothing of it
   */
  require(request: RequestContext, selection: CursorSelection): void {
    const subscription = subscriptionOf({ values: cursorValues(selection) }, newlineDelimited)
    this.requests.requireRights(request, subscription, [readsSome])
  }
}
