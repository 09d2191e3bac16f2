// Has a cluster take no more than what ends things before what it shares is full: then nothing could be written any more, not even that.
import type { SharedLog, SharedUsage } from '../../events/log/cluster/shared-log.js'
import { repeat, type Timers } from '../timers.js'

const EVERY_MS = 5000

interface SharedRoomParts {
  readonly shared: Pick<SharedLog, 'usage'>
  /** Has all of it go at once that can. */
  readonly raise: () => Promise<void>
  /** See `Committer.limit`. */
  readonly limit: (reason: string | undefined) => void
  /** Bytes that it may take. */
  readonly quota: number
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Told when writes are refused for another reason than before, and when none are any more. */
  readonly onChange: (reason: string | undefined) => void
  readonly onFailure: (error: unknown) => void
}

/** Looks every few seconds, while this server leads. */
export class EtcdQuotaGuard {
  /** Undefined while this server does not lead. */
  #stop: (() => void) | undefined
  #reason: string | undefined
  #bytes = 0

  constructor(private readonly parts: SharedRoomParts) {}

  /** Bytes that were taken when this server last looked; 0 while it does not lead. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether writes are refused. */
  get isShort(): boolean {
    return this.#reason !== undefined
  }

  start(): void {
    const { timers, onFailure } = this.parts
    this.#stop = repeat(timers, EVERY_MS, () => void this.#look().catch(onFailure))
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#take({ bytes: 0, isFull: false })
  }

  async #look(): Promise<void> {
    const { shared, raise } = this.parts
    const term = this.#stop
    let usage = await shared.usage()
    if (this.#isShort(usage)) {
      await raise()
      usage = await shared.usage()
    }
    if (term !== undefined && this.#stop === term) this.#take(usage)
  }

  #isShort({ bytes, isFull }: SharedUsage): boolean {
    return isFull || bytes >= this.parts.quota / 2
  }

  #take(usage: SharedUsage): void {
    const { limit, onChange } = this.parts
    this.#bytes = usage.bytes
    const reason = this.#isShort(usage) ? reasonOf(usage) : undefined
    if (reason === this.#reason) return
    this.#reason = reason
    limit(reason)
    onChange(reason)
  }
}

const reasonOf = ({ isFull }: SharedUsage): string =>
  isFull
    ? 'etcd is full (its NOSPACE alarm is raised) and takes only deletions until an operator has made room and disarmed it'
    : 'etcd holds half of what it may (cluster.etcd.quota) and only deletions are taken'
