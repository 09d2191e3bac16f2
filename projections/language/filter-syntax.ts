import type { FilterFields as Fields, FilterType as FieldType } from '../../events/definition/forms/form.js'

export type { FilterFields as Fields, FilterType as FieldType } from '../../events/definition/forms/form.js'

export const string: FieldType = { type: 'string' }
export const number: FieldType = { type: 'number' }
export const bool: FieldType = { type: 'bool' }
export const strings: FieldType = { type: 'strings' }
export const map = (of: FieldType): FieldType => ({ type: 'map', of })
export const objects = (fields: Fields): FieldType => ({ type: 'objects', fields })
export const object = (fields: Fields): FieldType => ({ type: 'object', fields })

/** Names as in errors. `contains` is `In` with exchanged sides. */
export type MatchOperator =
  'Equal' | 'Not Equal' | 'In' | 'Not In' | 'Matches' | 'Not Matches' | 'Is Empty' | 'Is Not Empty'

export interface Match {
  readonly type: 'match'
  readonly operator: MatchOperator
  /** As written: names and index keys, and the offset in the text, in characters from 0. */
  readonly field: { readonly path: readonly string[]; readonly position: number }
  /** Empty for operators without a value. */
  readonly value: string
}

export type Expression =
  | Match
  | { readonly type: 'not'; readonly operand: Expression }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Expression[] }

export class FilterError extends Error {
  override readonly name = 'FilterError'

  constructor(
    message: string,
    /** Offset of the cause in the text, in characters from 0. */
    readonly position: number
  ) {
    super(message)
  }
}
