// Declares what filter expressions may select, by the type of each field (spec: state.md §13).

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
