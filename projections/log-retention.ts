// Read model of the log itself.
import type { Event } from '../events/envelope.js'
import { isLogRetained, LOG_KEY, LOG_TOPIC, type LogRetained, type Retention } from '../events/retention.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'

/** How far the log was let go. All costs O(1). */
export class LogRetentionState implements Projection {
  readonly topics = [LOG_TOPIC]
  readonly memory = {}
  #retention: Retention | undefined

  /** Undefined as long as every commit is to be kept. */
  get retention(): Retention | undefined {
    return this.#retention
  }

  apply(event: Event): void {
    if (isLogRetained(event)) this.#retention = event.Payload.Retention
  }

  *facts(): Iterable<Fact> {
    if (this.#retention)
      yield fact<LogRetained>({
        Topic: LOG_TOPIC,
        Type: 'LogRetained',
        Key: LOG_KEY,
        Index: 0,
        Payload: { Retention: this.#retention }
      })
  }

  reset(): void {
    this.#retention = undefined
  }
}
