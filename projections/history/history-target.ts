// A thing as somebody asks for what became of it, and what did.
import { isCheckEvent } from '../../events/check.js'
import type { Commit, Event } from '../../events/envelope.js'
import { isEventOf, type ResourceKey } from '../../events/log/log.js'
import { isServiceEvent } from '../../events/service.js'

/** Services and checks of several nodes may have the same key. */
export interface HistoryTarget extends ResourceKey {
  /** Name of the node that a service or check is on, in any letter case; undefined: whichever. */
  readonly node?: string
}

const nodeOf = (event: Event): string | undefined => {
  if (event.Erased) return undefined
  if (isServiceEvent(event)) return event.Payload.Service.Node
  if (isCheckEvent(event)) return event.Payload.Check.Node
  return undefined
}

/** Whether an event tells what became of a thing. */
export const concerns = (event: Event, resource: HistoryTarget): boolean =>
  isEventOf(event, resource) &&
  (resource.node === undefined || nodeOf(event)?.toLowerCase() === resource.node.toLowerCase())

/** What an event made of a thing. */
export interface ResourceVersion {
  readonly commit: Commit
  readonly event: Event
  /** It is what commits had made that were let go: nobody knows who asked for it. */
  readonly isBase?: true
}
