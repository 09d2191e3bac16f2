// The state that a log makes, as the last event of every thing that exists.
import type { Commit, Event } from '../../events/envelope.js'
import type { Lifecycles } from '../lifecycles.js'
import { CREATION_ORDER, LOG_TOPICS } from './restore-order.js'

/** Collects the last events of a log. Because a payload is the whole state, they are the whole state. */
export class NewestEvents {
  readonly #events = new Map<string, Event>()

  constructor(private readonly lifecycles: Lifecycles) {}

  apply({ Events }: Commit): void {
    for (const event of Events) {
      // That a snapshot was being restored, and which commits are kept, is no part of the state; what was erased was not the last.
      if (LOG_TOPICS.has(event.Topic) || event.Erased) continue
      const key = this.lifecycles.identityOf(event)
      // Taken out first, so that the order of the map is the order of the last events.
      this.#events.delete(key)
      if (!this.lifecycles.isEnding(event)) this.#events.set(key, event)
    }
  }

  /** What exists, as `Lifecycles.identityOf` names it. */
  names(): string[] {
    return [...this.#events.keys()]
  }

  /**
   * What is made before what refers to it; things of one topic in the order in which they came to be as they
   * are.
   */
  inMakingOrder(): Event[] {
    const byTopic = new Map<string, Event[]>(CREATION_ORDER.map(topic => [topic, []]))
    for (const event of this.#events.values()) {
      const events = byTopic.get(event.Topic)
      if (events) events.push(event)
      else byTopic.set(event.Topic, [event])
    }
    return [...byTopic.values()].flat()
  }
}
