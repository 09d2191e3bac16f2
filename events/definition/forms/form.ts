import type { TSchema, TSchemaOptions } from 'typebox'
import type { LinkTarget } from '../types.js'

/** `given` in bodies, `shown` in responses. */
export type View = 'given' | 'shown'

/**
 * What filter expressions can select of a field. A declared field that a value lacks equals its empty value: '', 0, false,
 * no elements. A key that a map lacks is missing instead: `==` is false and `!=` true for every value.
 */
export type FilterType =
  | { readonly type: 'string' }
  | { readonly type: 'number' }
  | { readonly type: 'bool' }
  | { readonly type: 'strings' }
  /** Any keys, all of the same type. */
  | { readonly type: 'map'; readonly of: FilterType }
  /** A list of objects: a match on a field holds if it holds for any object. */
  | { readonly type: 'objects'; readonly fields: FilterFields }
  /** Only its fields can be selected. */
  | { readonly type: 'object'; readonly fields: FilterFields }

/** Names are case-sensitive. */
export type FilterFields = Readonly<Record<string, FilterType>>

/** The current names of linked resources. */
export interface NameSource {
  readonly namesVersion: number
  policyName(id: string): string | undefined
  roleName(id: string): string | undefined
}

export const nameIn = (names: NameSource, to: LinkTarget, id: string): string | undefined =>
  to === 'policy' ? names.policyName(id) : names.roleName(id)

/** A body's value that has the right type and an invalid text. The message names the field. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue'
}

export const invalidField = (path: string, reason: string): InvalidValue =>
  new InvalidValue(`field "${path}": ${reason}`)

/** Everything that the server does with the values of a field. A new form is one of these and its entry in `formOf`. */
export interface Form {
  /** The value that stands for nothing said. */
  readonly empty: unknown
  /** A stored value that is not empty. */
  example(): unknown
  /** Returns the JSON schema of the values. */
  schema(options: TSchemaOptions, view: View): TSchema
  /** Returns undefined if expressions cannot select such a field. */
  filter(): FilterType | undefined
  /**
   * Converts a body's value that matches the schema to that of a command. Absent if they are the same.
   * @throws InvalidValue for malformed durations and times
   */
  readonly parse?: ((raw: unknown, path: string) => unknown) | undefined
  /** Converts the value of a body to what is stored. Absent if a value is stored as given. See `storeOf`. */
  readonly store?: (said: unknown) => unknown
  /** Converts what is stored to what responses show. Absent if they are the same. */
  readonly show?: ((stored: unknown, names: NameSource) => unknown) | undefined
  /** Converts what is stored to the value of a body that stores it. Absent if they are the same. */
  readonly writeBack?: (stored: unknown) => unknown
}

/** Returns the conversion from the value of a body to what is stored. */
export const storeOf = ({ store, empty }: Form): ((said: unknown) => unknown) =>
  store ?? (said => said ?? empty)
