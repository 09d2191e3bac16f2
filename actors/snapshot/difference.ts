// What turns one state into another, both told by the events that made them (spec: state.md §9, snapshot).
import { CHECK_TOPIC } from '../../events/check.js'
import { eventText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'
import { NODE_TOPIC } from '../../events/node.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import type { Lives } from '../lives.js'

/** The last event of every thing that exists, by what it is about. */
export type LastEvents = ReadonlyMap<string, Event>

/** Collects the last events of a log. Because a payload is the whole state, they are the whole state. */
export class LastEventFold {
  readonly #lives: Lives
  readonly #events = new Map<string, Event>()

  constructor(lives: Lives) {
    this.#lives = lives
  }

  get events(): LastEvents {
    return this.#events
  }

  apply({ Events }: Commit): void {
    for (const event of Events) {
      const key = this.#lives.identityOf(event)
      // Taken out first, so that the order of the map is the order of the last events.
      this.#events.delete(key)
      if (!this.#lives.isEnding(event)) this.#events.set(key, event)
    }
  }
}

/** Whether two events leave a thing in the same state, whatever it was that happened. */
const isSame = (a: Event, b: Event): boolean =>
  eventText({ ...a, Type: b.Type }, 0) === eventText(b, 0) &&
  JSON.stringify(a.Secrets) === JSON.stringify(b.Secrets)

/** What stands on something else comes after it, and goes before it: services on nodes, checks on services. */
const LEVELS: readonly string[] = [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC]
const byLevel = (a: Event, b: Event): number => LEVELS.indexOf(a.Topic) - LEVELS.indexOf(b.Topic)

/**
 * The events that lead from `present` to `wanted`: first what ends, the youngest first, then what is made or changed, in the
 * order in which it came to be, but for what stands on something else. What has no end (the bootstrap of the ACL system) stays.
 */
export const difference = (present: LastEvents, wanted: LastEvents, lives: Lives): Event[] => {
  const endings = [...present].flatMap(([key, event]) => {
    const Type = wanted.has(key) ? undefined : lives.endingOf(event.Topic)
    if (Type === undefined) return []
    const { Secrets: _, ...rest } = event
    return [{ ...rest, Type }]
  })
  const changes = [...wanted].flatMap(([key, event]) => {
    const before = present.get(key)
    return before && isSame(before, event) ? [] : [lives.restoredBy(event, before)]
  })
  return [...endings.toReversed().toSorted((a, b) => byLevel(b, a)), ...changes.toSorted(byLevel)]
}
