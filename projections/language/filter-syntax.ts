// Syntax trees of filter expressions, and the one error that reading or compiling an expression can end in.

/**
 * The type of a field. A declared field that a value lacks counts as its empty value: '', 0, false, no
 * elements. A key that a map lacks is missing, which is not the same: `==` is false and `!=` true whatever is
 * compared.
 */
export type FieldType =
  | { readonly type: 'string' }
  /** Whole numbers. */
  | { readonly type: 'number' }
  | { readonly type: 'bool' }
  /** A list of strings. */
  | { readonly type: 'strings' }
  /** Any keys, all of the same type. */
  | { readonly type: 'map'; readonly of: FieldType }
  /** A list of objects: a match on a field of theirs holds when it holds for any of them. */
  | { readonly type: 'objects'; readonly fields: Fields }
  /** Only its fields can be selected. */
  | { readonly type: 'object'; readonly fields: Fields }

/** Fields by their names, which are case-sensitive. */
export type Fields = Readonly<Record<string, FieldType>>

export const string: FieldType = { type: 'string' }
export const number: FieldType = { type: 'number' }
export const bool: FieldType = { type: 'bool' }
export const strings: FieldType = { type: 'strings' }
export const map = (of: FieldType): FieldType => ({ type: 'map', of })
export const objects = (fields: Fields): FieldType => ({ type: 'objects', fields })
export const object = (fields: Fields): FieldType => ({ type: 'object', fields })

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
