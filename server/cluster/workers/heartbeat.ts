// Notices that a worker does not answer any more, although its process lives.
import type { Timers } from '../../../actors/timers.js'

const BEAT_MS = 1000
/** Beats without an answer after which a worker is given up. One that starts makes the read models, which may keep it for long. */
const MOST_MISSED = { listening: 20, starting: 120 } as const
/** From so many on nobody waits for what it might say. */
const SILENT_AFTER = 2

interface BeatParts {
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Asks the worker for a sign of life. */
  readonly beat: () => void
  /** Whether it has come to answer requests. */
  readonly isListening: () => boolean
  /** Called when it has just fallen silent. */
  readonly silent: () => void
  /** Called once: it is given up. */
  readonly lost: () => void
}

/** Counts what a worker leaves unanswered, not the time: when this process itself stood still, the worker has missed one beat at most. */
export class Heartbeat {
  #missed = 0
  #isAnswered = false
  #timer: string

  constructor(private readonly parts: BeatParts) {
    this.#timer = this.#beat()
  }

  /** The worker has given a sign of life. */
  answered(): void {
    this.#isAnswered = true
    this.#missed = 0
  }

  /** Whether it has left several beats unanswered. */
  get isSilent(): boolean {
    return this.#missed >= SILENT_AFTER
  }

  stop(): void {
    this.parts.timers.clearTimeout(this.#timer)
  }

  #beat(): string {
    this.parts.beat()
    return this.parts.timers.setTimeout(() => this.#look(), BEAT_MS)
  }

  #look(): void {
    const { isListening, silent, lost } = this.parts
    this.#missed = this.#isAnswered ? 0 : this.#missed + 1
    this.#isAnswered = false
    if (this.#missed === SILENT_AFTER) silent()
    if (this.#missed < MOST_MISSED[isListening() ? 'listening' : 'starting']) this.#timer = this.#beat()
    else lost()
  }
}
