// Commands. Each carries its time and random values, so that a decision is a pure function.
import { DEFAULT_TENANCY, type Cause, type Tenancy } from '../events/envelope.js'

export interface Caller {
  /** Accessor of the caller's token; empty for the server's own commands. */
  readonly accessor: string
  /** Source address of the request; empty for the server's own commands. */
  readonly address: string
  readonly requestId: string
  readonly reason?: string
}

export const SERVER: Caller = { accessor: '', address: '', requestId: '' }

/** Returns the `cause` of a command that follows from these commits; empty without any. */
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
  /** Time of the request, epoch milliseconds. */
  readonly at: number
  readonly cause?: Cause
}

/** Returns a command of the server itself on resources of the whole cluster. */
export const serverCommand = <const Name extends string, Data>(name: Name, data: Data, at: number) => ({
  name,
  tenancy: DEFAULT_TENANCY,
  data,
  caller: SERVER,
  at
})
