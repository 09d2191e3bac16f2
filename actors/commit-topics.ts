import type { Commit, Event } from '../events/envelope.js'
import { eventsOutside, NO_REMOVALS, type PreparedRemoval } from './aggregate.js'

export type EventListener = (event: Event, commit: Commit) => void

/** Passes the events of applied commits to the listeners of their topics, so that a listener costs commits of other topics nothing. */
export class CommitTopics {
  readonly #byTopic = new Map<string, readonly EventListener[]>()

  /** Calls the listener with each event of a topic. Returns a function that unsubscribes. */
  on(topic: string, listener: EventListener): () => void {
    // A dispatch under way keeps the list that it began with.
    this.#byTopic.set(topic, [...this.#of(topic), listener])
    return () => {
      const others = this.#of(topic).filter(each => each !== listener)
      if (others.length > 0) this.#byTopic.set(topic, others)
      else this.#byTopic.delete(topic)
    }
  }

  /** @param removals whose events are skipped together if their topics have no listeners */
  dispatch(commit: Commit, removals: readonly PreparedRemoval[] = NO_REMOVALS): void {
    for (const event of eventsOutside(commit.Events, removals, this.#byTopic)) {
      const listeners = this.#byTopic.get(event.Topic)
      if (listeners) for (const listener of listeners) listener(event, commit)
    }
  }

  #of(topic: string): readonly EventListener[] {
    return this.#byTopic.get(topic) ?? []
  }
}
