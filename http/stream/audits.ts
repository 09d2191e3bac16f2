// Audits: streams of past commits, which end with the newest one.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { LogReader } from '../../events/log/log.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import type { RouteResponse } from '../wire/response.js'
import type { RequestContext } from '../wire/request-context.js'
import { SubscriptionRequests } from './subscription-requests.js'
import { EventStreams } from './event-streams.js'
import { auditOf } from './audit-parsing.js'
import { LINES_TYPE, streamedResponse } from './streamed-response.js'

@scoped(Lifecycle.ContainerScoped)
export class EventAudits {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly streams: EventStreams,
    private readonly requests: SubscriptionRequests
  ) {}

  /** @throws Refusal */
  async answer(request: RequestContext): Promise<RouteResponse> {
    const allowed = this.requests.allow(request, auditOf(request))
    const placed = 'request' in allowed ? await this.requests.place(request, allowed) : allowed
    if (!('opening' in placed)) return this.requests.refuse(request, placed)
    const { start, end } = placed.opening
    // Commits after the request are excluded, even if its end is later.
    const last = Math.min(end?.index ?? Infinity, this.log.durableIndex)
    const opening = {
      ...placed.opening,
      start: Math.min(start, last + 1),
      end: { index: last, limit: end?.limit },
      wire: 'audit' as const
    }
    const type = opening.subscription.format === 'cef' ? 'text/plain; charset=utf-8' : LINES_TYPE
    return streamedResponse(request, { ...placed, opening }, this.streams, type)
  }
}
