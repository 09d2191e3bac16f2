// The turn of a stream to read by its cursor: it waits while another reader has the cursor.
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

/** The stream whose turn it is to be. */
interface LeaseWaiter {
  /** Whether the last piece that it sent is still under way. */
  isBusy(): boolean
  /** It begins behind this index. */
  onTurn(index: number): void
  onLost(ending: StreamEnding): void
}

/** A stream that reads by no cursor never waits for its turn. */
export class CursorLeaseWait implements CursorReader {
  #claim: CursorClaim | undefined
  #isAwaited: boolean
  #hasEnded = false
  /** Whether the reader has taken a piece since that was last asked. */
  #hasTaken = false

  /** @param cursor as the stream found it; undefined when it reads by none */
  constructor(
    private readonly cursor: Cursor | undefined,
    private readonly taker: LeaseWaiter
  ) {
    this.#isAwaited = cursor !== undefined
  }

  /** Whether another reader has the cursor. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  /** Gets in line. */
  begin(leases: CursorLeases): void {
    if (!this.cursor || this.#hasEnded) return
    this.#claim = leases.claim(this.cursor, this)
    // It may have lost it again by now.
    if (this.#hasEnded) this.#claim?.release()
    else if (!this.#claim) this.taker.onLost(CURSOR_LOST.deleted)
  }

  /** The reader has taken a piece whole. */
  noteTaken(): void {
    this.#hasTaken = true
  }

  /** Whether who has these rights may still read by the cursor. */
  canContinue(authority: Authority): boolean {
    return !this.cursor || ownsCursor(authority, this.cursor)
  }

  /** The stream has ended. */
  end(): void {
    this.#hasEnded = true
    this.#claim?.release()
  }

  isTaking(): boolean {
    const isTaking = this.#hasTaken || !this.taker.isBusy()
    this.#hasTaken = false
    return isTaking
  }

  onHeld(index: number): void {
    this.#isAwaited = false
    this.taker.onTurn(index)
  }

  onLost(loss: ClaimLoss): void {
    this.taker.onLost(CURSOR_LOST[loss])
  }
}
