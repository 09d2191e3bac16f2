// The status of replication (spec: auth.md §11.1).
import { formatTime, ZERO_TIME } from '../../../events/time.js'
import type { ReplicatedIndexes } from '../../../events/replication.js'
import type { ReplicationStatusPort } from '../../../http/routes/acl/system.js'

const NO_INDEXES: ReplicatedIndexes = { Policies: 0, Roles: 0, Tokens: 0, ConfigEntries: 0 }

const SECOND_MS = 1000

/** Rounds down to seconds. @param at epoch milliseconds; undefined for never */
const timeOf = (at: number | undefined): string =>
  at === undefined ? ZERO_TIME : formatTime(Math.floor(at / SECOND_MS) * SECOND_MS)

/** The progress of a comparison with the primary. */
interface Reconciliation {
  isRunning: boolean
  /** Epoch milliseconds. */
  readonly began: number
  /** Resources created or updated. */
  written: number
  /** Resources that the primary does not have. */
  removed: number
}

export class ReplicationStatus implements ReplicationStatusPort {
  isRunning = false
  /** The imported and the newest known index of the primary's log. */
  applied = 0
  newest = 0
  readonly #began: number
  #indexes = NO_INDEXES
  #lastSuccess: number | undefined
  #lastError: number | undefined
  #lastErrorMessage = ''
  #reconciliation: Reconciliation | undefined

  constructor(
    private readonly primary: string,
    private readonly withTokens: boolean,
    private readonly now: () => number
  ) {
    this.#began = now()
  }

  succeeded(indexes: ReplicatedIndexes): void {
    this.#indexes = indexes
    this.#lastSuccess = this.now()
  }

  failed(message: string): void {
    this.#lastError = this.now()
    this.#lastErrorMessage = message
  }

  /** Starts a reconciliation. One that broke off continues, with its counts. */
  beginReconciliation(): void {
    if (this.#reconciliation?.isRunning) return
    this.#reconciliation = { isRunning: true, began: this.now(), written: 0, removed: 0 }
  }

  /** Adds to the counts of the reconciliation that runs; does nothing while none runs. */
  countReconciled(written: number, removed: number): void {
    if (!this.#reconciliation?.isRunning) return
    this.#reconciliation.written += written
    this.#reconciliation.removed += removed
  }

  endReconciliation(): Pick<Reconciliation, 'written' | 'removed'> {
    const { written = 0, removed = 0 } = this.#reconciliation ?? {}
    if (this.#reconciliation) this.#reconciliation.isRunning = false
    return { written, removed }
  }

  get #shownReconciliation(): object {
    if (!this.#reconciliation) return {}
    const { isRunning: Running, began, written: Written, removed: Removed } = this.#reconciliation
    return { Reconciliation: { Running, Began: timeOf(began), Written, Removed } }
  }

  /** Seconds since everything was last known to be replicated, or since the start. */
  get age(): number {
    return Math.max(0, this.now() - (this.#lastSuccess ?? this.#began)) / SECOND_MS
  }

  /** Known commits of the primary that are not imported yet. */
  get lag(): number {
    return Math.max(0, this.newest - this.applied)
  }

  get shown(): object {
    return {
      Enabled: true,
      Running: this.isRunning,
      SourceDatacenter: this.primary,
      ReplicationType: this.withTokens ? 'tokens' : 'policies',
      ReplicatedIndex: this.#indexes.Policies,
      ReplicatedRoleIndex: this.#indexes.Roles,
      ReplicatedTokenIndex: this.withTokens ? this.#indexes.Tokens : 0,
      LastSuccess: timeOf(this.#lastSuccess),
      LastError: timeOf(this.#lastError),
      LastErrorMessage: this.#lastErrorMessage,
      ...this.#shownReconciliation
    }
  }
}
