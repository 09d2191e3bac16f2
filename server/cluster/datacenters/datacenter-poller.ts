// Polls the other datacenters every few seconds and notes which of them do not answer.
import { Refusal } from '../../../actors/refusal.js'
import type { Timers } from '../../../actors/clock.js'
import { RemoteRefusal } from './remote-json-requests.js'

export const POLL_INTERVAL_MS = 5000

/** For the log: only the reason if the failure is expected, such as an unreachable datacenter. Otherwise the error with its stack. */
type FailureReason = { readonly reason: string } | { readonly err: unknown }

export const failureReasonOf = (error: unknown): FailureReason =>
  error instanceof Refusal || error instanceof RemoteRefusal ? { reason: error.message } : { err: error }

interface PollerHandlers {
  /** Queries one datacenter. Rejects if the answer is missing or unusable. */
  readonly ask: (name: string) => Promise<void>
  /** Called once when a datacenter stops answering. */
  readonly onSilent: (name: string, why: FailureReason) => void
  readonly onBack: (name: string) => void
}

export class DatacenterPoller {
  readonly #silent = new Set<string>()
  #timer: string | undefined
  #isStopped = false
  #pending = 0

  constructor(
    private readonly names: readonly string[],
    private readonly timers: Timers,
    private readonly handlers: PollerHandlers
  ) {}

  /** Number of datacenters being queried. */
  get pending(): number {
    return this.#pending
  }

  /** Returns true if the datacenter did not answer the last poll. */
  isSilent(name: string): boolean {
    return this.#silent.has(name)
  }

  start(): void {
    this.#timer = this.timers.setTimeout(() => this.start(), POLL_INTERVAL_MS)
    for (const name of this.names) void this.#ask(name)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
  }

  /** Never rejects. */
  async #ask(name: string): Promise<void> {
    this.#pending++
    try {
      await this.handlers.ask(name)
      if (this.#silent.delete(name)) this.handlers.onBack(name)
    } catch (error) {
      if (this.#isStopped || this.#silent.has(name)) return
      this.#silent.add(name)
      this.handlers.onSilent(name, failureReasonOf(error))
    } finally {
      this.#pending--
    }
  }
}
