// Other datacenters that are asked for something every few seconds, and which of them do not answer.
import { Refusal } from '../../../actors/refusal.js'
import type { Timers } from '../../../actors/timers.js'
import { RemoteRefusal } from './remote-json-requests.js'

/** How often each datacenter is asked. */
export const POLL_INTERVAL_MS = 5000

/** For the log: the reason alone where one is expected, such as that nobody can be reached; else the error with its stack. */
type Why = { readonly reason: string } | { readonly err: unknown }

/** @param error of a question to another datacenter */
export const failureReasonOf = (error: unknown): Why =>
  error instanceof Refusal || error instanceof RemoteRefusal ? { reason: error.message } : { err: error }

interface Asking {
  /** Asks one for it, and takes the answer. Rejects when there is none that can be used. */
  readonly ask: (name: string) => Promise<void>
  /** Called when one does not answer, once until it does again. */
  readonly onSilent: (name: string, why: Why) => void
  /** Called when one answers that did not before. */
  readonly onBack: (name: string) => void
}

export class DatacenterPoller {
  readonly #silent = new Set<string>()
  #timer: string | undefined
  #isStopped = false
  #underWay = 0

  /** @param names of the datacenters */
  constructor(
    private readonly names: readonly string[],
    private readonly timers: Timers,
    private readonly asking: Asking
  ) {}

  /** How many are asked at the moment. */
  get underWay(): number {
    return this.#underWay
  }

  /** Whether a datacenter did not answer when it was asked last. */
  isSilent(name: string): boolean {
    return this.#silent.has(name)
  }

  /** Asks all now and from then on, until it is stopped. */
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
    this.#underWay++
    try {
      await this.asking.ask(name)
      if (this.#silent.delete(name)) this.asking.onBack(name)
    } catch (error) {
      if (this.#isStopped || this.#silent.has(name)) return
      this.#silent.add(name)
      this.asking.onSilent(name, failureReasonOf(error))
    } finally {
      this.#underWay--
    }
  }
}
