// User events: messages that are fired by name and kept a while in memory (spec: state.md §9).
import { Lifecycle, scoped } from 'tsyringe'
import { Views } from '../projections/views.js'

/** As answers show it. */
export interface UserEvent {
  readonly ID: string
  readonly Name: string
  /** Base64; null when nothing was sent. */
  readonly Payload: string | null
  readonly NodeFilter: string
  readonly ServiceFilter: string
  readonly TagFilter: string
  readonly Version: number
  readonly LTime: number
}

/** How many are kept. */
const MOST = 256
const KEY = 'user-events'

/** The newest events, which end with the server. `fire` costs O(256) at most. */
@scoped(Lifecycle.ContainerScoped)
export class UserEvents {
  readonly watch = [KEY]
  readonly #views: Views
  readonly #events: UserEvent[] = []
  #fired = 0

  constructor(views: Views) {
    this.#views = views
  }

  /** Grows with each event. */
  get index(): number {
    return this.#fired + 1
  }

  /** Oldest first. */
  get list(): readonly UserEvent[] {
    return this.#events
  }

  fire(event: Omit<UserEvent, 'LTime'>): void {
    this.#fired++
    this.#events.push({ ...event, LTime: this.#fired })
    if (this.#events.length > MOST) this.#events.shift()
    this.#views.watch.touch(KEY)
  }
}
