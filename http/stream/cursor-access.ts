import { refusedWith, type RouteResponse } from '../wire/response.js'
import { Refusal } from '../../actors/refusal.js'
import type { Cursor } from '../../events/cursor.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import type { Views } from '../../projections/read-models.js'
import type { RequestContext } from '../wire/request-context.js'
import { noLongerRetained, CURSOR_LOST, type StreamEnding } from './control-lines.js'
import { missingPermission } from './selections.js'
import type {
  ClaimLoss,
  CursorClaim,
  CursorLeases,
  CursorReader
} from '../../actors/processes/cursor-leases.js'

const accessorIn = ({ token }: Authority): string => token?.token.AccessorID ?? ANONYMOUS_ACCESSOR

export const accessorOf = ({ authority }: RequestContext): string => accessorIn(authority)

/** Returns true for tokens other than the anonymous one, and if ACLs are off. */
const isIdentified = (authority: Authority): boolean =>
  accessorIn(authority) !== ANONYMOUS_ACCESSOR || authority.authorizer.rules === 'everything'

const isOwner = ({ authority }: RequestContext, { Owner }: Cursor): boolean =>
  Owner === accessorIn(authority) && isIdentified(authority)

/** Returns true if the permissions allow reading by a cursor and moving it. */
const ownsCursor = (authority: Authority, { Owner }: Cursor): boolean =>
  isIdentified(authority) &&
  (Owner === accessorIn(authority) || authority.authorizer.may('operator', 'write', '', DEFAULT_TENANCY))

/** Rejects the anonymous token, since every change of a cursor is a commit. @throws Refusal `denied` */
export const requireIdentified = ({ authority }: RequestContext): void => {
  if (!isIdentified(authority))
    throw new Refusal(
      'stream.denied',
      'Permission denied: the anonymous token cannot create, change or read by a cursor: send a token that may read one of its topics'
    )
}

export const canReadCursor = (request: RequestContext, cursor: Cursor): boolean =>
  isOwner(request, cursor) || request.may('operator', 'read')

/** @throws Refusal `denied` */
export const requireCursorRead = (request: RequestContext, cursor: Cursor): void => {
  if (!isOwner(request, cursor)) request.require('operator', 'read')
}

/** @throws Refusal `denied` to callers who neither own the cursor nor may change those of others */
export const requireCursorOwner = (request: RequestContext, cursor: Cursor): void => {
  requireIdentified(request)
  if (!isOwner(request, cursor)) request.require('operator', 'write')
}

/** @param notFound the code of the refusal if there is no such cursor @throws Refusal as well as `requireCursorOwner` does */
export const ownedCursor = (
  request: RequestContext,
  name: string,
  notFound: 'cursor.not-found' | 'stream.not-found'
): Cursor => {
  requireIdentified(request)
  const cursor = request.views.cursors.get(name)
  if (!cursor) throw new Refusal(notFound, `Cursor "${name}" does not exist`)
  requireCursorOwner(request, cursor)
  return cursor
}

/** Returns the response that refuses commits that were pruned. */
export const prunedResponse = (message: string, oldest: number): RouteResponse =>
  refusedWith('history.pruned', message, ['X-Service-Oldest-Index', String(oldest)])

/** Returns the response to a position whose next commits were pruned; undefined if they are retained. */
export const cursorNotFound = (index: number, oldest: number): RouteResponse | undefined =>
  index + 1 >= oldest ? undefined : prunedResponse(noLongerRetained(index + 1, oldest).message, oldest)

/** The secret and permissions of a cursor's owner, or why there are none. */
type CursorOwner =
  { readonly secret: string | undefined; readonly authority: Authority } | { readonly lack: string }

/** @param now epoch ms @param subscription of the cursor, which the owner must be allowed */
export const cursorOwner = (
  views: Views,
  now: number,
  { Owner }: Cursor,
  subscription: Subscription
): CursorOwner => {
  const secret = views.tokens.get(Owner)?.secret
  if (views.settings.aclEnabled && secret === undefined) return { lack: 'the owner of the cursor is gone' }
  const authority = views.resolver.resolve(secret, now)
  if (!authority) return { lack: 'the token of the owner of the cursor has expired' }
  const missing = missingPermission(subscription, authority.authorizer)
  return missing
    ? { lack: `the owner of the cursor lacks permission '${missing.permission}'` }
    : { secret, authority }
}

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
