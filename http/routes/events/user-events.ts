// User events: messages that are fired by name and kept a while in memory (spec: state.md §9).
import { Lifecycle, scoped } from 'tsyringe'
import { Views } from '../../../projections/read-models.js'

/** As answers show it. */
interface UserEvent {
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
/** Hexadecimal digits of half an ID. */
const HALF_DIGITS = 16

/** The newest events, which end with the server. `fire` costs O(256) at most. */
@scoped(Lifecycle.ContainerScoped)
export class UserEvents {
  readonly watch = [KEY]
  readonly #events: UserEvent[] = []
  #fired = 0

  constructor(private readonly views: Views) {}

  /** Oldest first. */
  get list(): readonly UserEvent[] {
    return this.#events
  }

  fire(event: Omit<UserEvent, 'LTime'>): void {
    this.#fired++
    this.#events.push({ ...event, LTime: this.#fired })
    if (this.#events.length > MOST) this.#events.shift()
    this.views.watch.touch(KEY)
  }
}

/**
 * The index that clients compute of the newest event which they know: both halves of its ID as numbers of 64 bits, XOR. An
 * index of 0 would mean none, and so does a list without events: both are 1.
 */
export const indexOfEvents = (newest: UserEvent | undefined): bigint => {
  const digits = newest?.ID.replaceAll('-', '') ?? ''
  const half = (from: number): bigint => BigInt(`0x0${digits.slice(from, from + HALF_DIGITS)}`)
  return half(0) ^ half(HALF_DIGITS) || 1n
}
