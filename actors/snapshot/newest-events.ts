import type { Commit, Event } from '../../events/envelope.js'
import type { Lifecycles } from '../lifecycle.js'
import { CREATION_ORDER, LOG_TOPICS } from './restore-order.js'

/** Collects the last events of a log, whose payloads are the whole state. */
export class NewestEvents {
  readonly #events = new Map<string, Event>()

  constructor(private readonly lifecycles: Lifecycles) {}

  apply({ Events }: Commit): void {
    for (const event of Events) {
      // Events about the log itself are no state, and erased events were not the last ones.
      if (LOG_TOPICS.has(event.Topic) || event.Erased) continue
      const key = this.lifecycles.identityOf(event)
      // Deleted first, so that the map is in the order of the last events.
      this.#events.delete(key)
      if (!this.lifecycles.isEnding(event)) this.#events.set(key, event)
    }
  }

  names(): string[] {
    return [...this.#events.keys()]
  }

  /** Orders resources before those that refer to them, and within a topic by their last event. */
  inCreationOrder(): Event[] {
    const byTopic = new Map<string, Event[]>(CREATION_ORDER.map(topic => [topic, []]))
    for (const event of this.#events.values()) {
      const events = byTopic.get(event.Topic)
      if (events) events.push(event)
      else byTopic.set(event.Topic, [event])
    }
    return [...byTopic.values()].flat()
  }
}
