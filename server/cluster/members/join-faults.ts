// Why a server does not take part in its cluster yet: for its log, and for who asks whether it is ready.
import type { Logger } from 'pino'
import type { Clock } from '../../../actors/clock.js'
import { messageOf } from '../../../events/errors.js'

/** A fault that stays is logged this often, in milliseconds. */
const EVERY_MS = 30_000

export class JoinFaults {
  #last: string | undefined
  #loggedAt = -Infinity

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly onChange: (fault?: string) => void
  ) {
  }

  /** Why the last try failed; undefined when none has. */
  get last(): string | undefined {
    return this.#last
  }

  /** It takes part, or never will. */
  ended(): void {
    if (this.#last !== undefined) this.onChange()
    this.#last = undefined
  }

  failed(error: unknown): void {
    const fault = messageOf(error)
    const now = this.clock.elapsed()
    if (fault === this.#last && now - this.#loggedAt < EVERY_MS) return
    this.#last = fault
    this.onChange(fault)
    this.#loggedAt = now
    this.logger.warn(`this server cannot join the cluster yet, and tries again: ${fault}`)
  }
}
