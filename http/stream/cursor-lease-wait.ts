import type {
  ClaimLoss,
  CursorClaim,
  CursorLeases,
  CursorReader
} from '../../actors/processes/cursor-leases.js'
import type { Cursor } from '../../events/cursor.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { ownsCursor } from './cursor-access.js'
import { CURSOR_LOST, type StreamEnding } from './control-lines.js'

interface LeaseWaiter {
  isBusy(): boolean
  onTurn(index: number): void
  onLost(ending: StreamEnding): void
}

/** A stream without a cursor does not wait. */
export class CursorLeaseWait implements CursorReader {
  #claim: CursorClaim | undefined
  #isAwaited: boolean
  #hasEnded = false
  #hasTaken = false

  constructor(
    private readonly cursor: Cursor | undefined,
    private readonly taker: LeaseWaiter
  ) {
    this.#isAwaited = cursor !== undefined
  }

  get isAwaited(): boolean {
    return this.#isAwaited
  }

  begin(leases: CursorLeases): void {
    if (!this.cursor || this.#hasEnded) return
    this.#claim = leases.claim(this.cursor, this)
    // `claim` may have called `onLost` already.
    if (this.#hasEnded) this.#claim?.release()
    else if (!this.#claim) this.taker.onLost(CURSOR_LOST.deleted)
  }

  noteTaken(): void {
    this.#hasTaken = true
  }

  canContinue(authority: Authority): boolean {
    return !this.cursor || ownsCursor(authority, this.cursor)
  }

  end(): void {
    this.#hasEnded = true
    this.#claim?.release()
  }

  isProcessing(): boolean {
    const isProcessing = this.#hasTaken || !this.taker.isBusy()
    this.#hasTaken = false
    return isProcessing
  }

  onHeld(index: number): void {
    this.#isAwaited = false
    this.taker.onTurn(index)
  }

  onLost(loss: ClaimLoss): void {
    this.taker.onLost(CURSOR_LOST[loss])
  }
}
