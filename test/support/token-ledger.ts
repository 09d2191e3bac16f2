// The clients' knowledge about their tokens: acknowledged states, and unanswered requests.

/** A token as the server returns it, with the fields that the ledger compares. */
export interface Token {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** A sent request. Until it is answered, the token may have the state before or after it. */
export type Request =
  | {
      readonly kind: 'create'
      readonly accessor: string
      readonly secret: string
      readonly description: string
    }
  | { readonly kind: 'update'; readonly before: Token; readonly description: string }
  | { readonly kind: 'delete'; readonly before: Token }

export const accessorOf = (request: Request): string =>
  request.kind === 'create' ? request.accessor : request.before.AccessorID
const secretOf = (request: Request): string =>
  request.kind === 'create' ? request.secret : request.before.SecretID

/** One entry per token; each token has one writer, so at most one unanswered request. */
export class TokenLedger {
  /** Tokens by accessor, as last acknowledged. */
  readonly tokens = new Map<string, Token>()
  /** Unanswered requests by accessor. */
  readonly unanswered = new Map<string, Request>()
  /** Secrets by accessor of every token written since `forgetTouched`. */
  readonly touched = new Map<string, string>()
  acknowledged = 0

  sent(request: Request): void {
    this.unanswered.set(accessorOf(request), request)
    this.touched.set(accessorOf(request), secretOf(request))
  }

  /** Records an acknowledgement. @param token the response; undefined after a deletion */
  answered(request: Request, token: Token | undefined): void {
    this.acknowledged += 1
    this.unanswered.delete(accessorOf(request))
    this.settle(accessorOf(request), token)
  }

  /** After a restart: records the found state as the outcome of the unanswered request. */
  settle(accessor: string, found: Token | undefined): void {
    this.unanswered.delete(accessor)
    if (found === undefined) this.tokens.delete(accessor)
    else this.tokens.set(accessor, found)
  }

  forgetTouched(): void {
    this.touched.clear()
  }
}

/** Returns true if `found` is a possible outcome of an unanswered request: all of it, or nothing. */
export function isOutcome(
  request: Request,
  found: Token | undefined,
  same: (a: unknown, b: unknown) => boolean
): boolean {
  if (request.kind === 'delete') return found === undefined || same(found, request.before)
  if (request.kind === 'update')
    return (
      same(found, request.before) ||
      (found?.SecretID === request.before.SecretID &&
        found.Description === request.description &&
        found.CreateIndex === request.before.CreateIndex &&
        found.ModifyIndex > request.before.ModifyIndex)
    )
  return (
    found === undefined ||
    (found.SecretID === request.secret &&
      found.Description === request.description &&
      found.CreateIndex === found.ModifyIndex)
  )
}
