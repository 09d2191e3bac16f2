// What somebody asks for. Everything timed or random is inside, so that a decision is a pure function.
import type { Cause, Tenancy } from '../events/envelope.js'

/** Who asks. */
export interface Caller {
  /** Accessor of the token presented; empty for the server's own commands. */
  readonly accessor: string
  /** Source address of the request; empty for the server's own commands. */
  readonly address: string
  readonly requestId: string
  /** Why it asks, as it says itself. */
  readonly reason?: string
}

/** The server itself, for what it does by the clock. */
export const SERVER: Caller = { accessor: '', address: '', requestId: '' }

/** What commands say that follow from these commits; nothing when from none. */
export const causeOf = (indexes: readonly (number | undefined)[]): Pick<Command, 'cause'> => {
  const known = [...new Set(indexes.filter(index => index !== undefined))].toSorted((a, b) => a - b)
  const [first] = known
  return first === undefined ? {} : { cause: known.length === 1 ? first : known }
}

/** `name` is imperative, such as `CreateToken`; `data` is what the decision needs. */
export interface Command<Name extends string = string, Data = unknown> {
  readonly name: Name
  readonly tenancy: Tenancy
  readonly data: Data
  readonly caller: Caller
  /** When it was asked, epoch milliseconds. */
  readonly at: number
  /** What led to the command, where that was a commit. */
  readonly cause?: Cause
}
