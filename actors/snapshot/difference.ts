// What turns one state into another, both told by the events that made them (spec: state.md §9, snapshot).
import { eventText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'
import type { Lives } from '../lives.js'

/** The last event of every thing that exists, by what it is about. */
export type LastEvents = ReadonlyMap<string, Event>

const identity = ({ Topic, Partition, Namespace, Key }: Event): string =>
  JSON.stringify([Topic, Partition, Namespace, Key])

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
      const key = identity(event)
      // Taken out first, so that the order of the map is the order of the last events.
      this.#events.delete(key)
      if (!this.#lives.isEnding(event)) this.#events.set(key, event)
    }
  }
}

const isSame = (a: Event, b: Event): boolean =>
  eventText(a, 0) === eventText(b, 0) && JSON.stringify(a.Secrets) === JSON.stringify(b.Secrets)

/**
 * The events that lead from `present` to `wanted`: first what ends, the youngest first, then what is made or changed, in the
 * order in which it came to be. What has no end (the bootstrap of the ACL system) stays.
 */
export const difference = (present: LastEvents, wanted: LastEvents, lives: Lives): Event[] => {
  const endings = [...present].flatMap(([key, event]) => {
    const Type = wanted.has(key) ? undefined : lives.endingOf(event.Topic)
    if (Type === undefined) return []
    const { Secrets: _, ...rest } = event
    return [{ ...rest, Type }]
  })
  const changes = [...wanted].filter(([key, event]) => {
    const before = present.get(key)
    return !before || !isSame(before, event)
  })
  return [...endings.toReversed(), ...changes.map(([, event]) => event)]
}
