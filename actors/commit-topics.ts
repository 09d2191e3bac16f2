import type { Commit, Event } from '../events/envelope.js'

export type EventListener = (event: Event, commit: Commit) => void

/** Passes the events of applied commits to the listeners of their topics, so that a listener costs commits of other topics nothing. */
export class CommitTopics {
  readonly #byTopic = new Map<string, readonly EventListener[]>()

  /** Calls the listener with each event of a topic. Returns a function that unsubscribes. */
  on(topic: string, listener: EventListener): () => void {
    // A dispatch under way keeps the list that it began with.
    this.#byTopic.set(topic, [...this.#of(topic), listener])
    return () =>
      void this.#byTopic.set(
        topic,
        this.#of(topic).filter(each => each !== listener)
      )
  }

  dispatch(commit: Commit): void {
    for (const event of commit.Events) {
      const listeners = this.#byTopic.get(event.Topic)
      if (listeners) for (const listener of listeners) listener(event, commit)
    }
  }

  #of(topic: string): readonly EventListener[] {
    return this.#byTopic.get(topic) ?? []
  }
}
