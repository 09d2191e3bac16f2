// Syntax trees of filter expressions, and the one error that reading or compiling an expression can end in.

/** What a match asks; names as errors show them. `contains` is `In` with its sides exchanged. */
export type MatchOperator =
  'Equal' | 'Not Equal' | 'In' | 'Not In' | 'Matches' | 'Not Matches' | 'Is Empty' | 'Is Not Empty'

/** A field as written: names and index keys. */
interface Selector {
  readonly path: readonly string[]
  /** Where it stands in the text, in characters from 0. */
  readonly position: number
}

export interface Match {
  readonly type: 'match'
  readonly operator: MatchOperator
  readonly field: Selector
  /** Text of the value; empty for operators without one. */
  readonly value: string
}

export type Expression =
  | Match
  | { readonly type: 'not'; readonly operand: Expression }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Expression[] }

/** An expression was refused. */
export class FilterError extends Error {
  override readonly name = 'FilterError'

  constructor(
    message: string,
    /** Where the cause stands in the text, in characters from 0. */
    readonly position: number
  ) {
    super(message)
  }
}
