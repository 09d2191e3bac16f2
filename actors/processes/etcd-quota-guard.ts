// Limits a cluster to deletions before etcd is full, since a full etcd accepts no write at all.
import type { SharedLog, SharedUsage } from '../../events/log/cluster/shared-log.js'
import { repeat, type Timers } from '../clock.js'

const INTERVAL_MS = 5000

interface EtcdQuotaGuardDependencies {
  readonly shared: Pick<SharedLog, 'usage'>
  readonly raise: () => Promise<void>
  /** See `Committer.limit`. */
  readonly limit: (reason: string | undefined) => void
  readonly quota: number
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Reports a change of the reason for refusing writes; undefined when they are accepted again. */
  readonly onChange: (reason: string | undefined) => void
  readonly onFailure: (error: unknown) => void
}

export class EtcdQuotaGuard {
  /** Undefined while this server does not lead. */
  #stop: (() => void) | undefined
  #reason: string | undefined
  #bytes = 0

  constructor(private readonly dependencies: EtcdQuotaGuardDependencies) {}

  /** Bytes used at the last check; 0 while this server does not lead. */
  get bytes(): number {
    return this.#bytes
  }

  /** True while writes are refused. */
  get isShort(): boolean {
    return this.#reason !== undefined
  }

  start(): void {
    const { timers, onFailure } = this.dependencies
    this.#stop = repeat(timers, INTERVAL_MS, () => void this.#check().catch(onFailure))
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#apply({ bytes: 0, isFull: false })
  }

  async #check(): Promise<void> {
    const { shared, raise } = this.dependencies
    const term = this.#stop
    let usage = await shared.usage()
    if (this.#isShort(usage)) {
      await raise()
      usage = await shared.usage()
    }
    if (term !== undefined && this.#stop === term) this.#apply(usage)
  }

  #isShort({ bytes, isFull }: SharedUsage): boolean {
    return isFull || bytes >= this.dependencies.quota / 2
  }

  #apply(usage: SharedUsage): void {
    const { limit, onChange } = this.dependencies
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
