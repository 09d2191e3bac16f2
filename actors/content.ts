import { hash } from 'node:crypto'
import { formOf } from '../events/definition/forms/forms.js'
import type { Content, Fields, Input, ResourceDefinition } from '../events/definition/types.js'
import { isEmptyValue, isObject } from '../events/values.js'

type Values = Readonly<Record<string, unknown>>

/** Base64 of the SHA-256 of a value's JSON (spec: acl.md §3.2). */
export const contentHash = (content: unknown): string => hash('sha256', JSON.stringify(content), 'base64')

/** Input in which resolved links and checked choices may have their stored form. */
type Checked<F extends Fields> = { readonly [Name in keyof Input<F>]: unknown }

/** Returns a function from the input of these fields, and of objects in them, to their stored values. Decided values replace those of the input. */
const writerOf = (fields: Fields): ((input: Values, decided?: Values) => Values) => {
  const writers = Object.entries(fields)
    .filter(([, { form, by, stored }]) => by === 'caller' && stored !== 'never' && form.type !== 'secret')
    .map(([name, { form, stored }]) => ({
      name,
      isOptional: stored === 'filled',
      empty: formOf(form).empty,
      writeInner: form.type === 'object' ? writerOf(form.fields) : undefined
    }))
  return (input, decided = input) => {
    const content: Record<string, unknown> = {}
    for (const { name, isOptional, empty, writeInner } of writers) {
      const written = (name in decided ? decided : input)[name]
      if (isOptional && (written === undefined || isEmptyValue(written))) continue
      const value = written ?? empty
      content[name] = writeInner && isObject(value) ? writeInner(value) : value
    }
    return content
  }
}

/**
 * Returns a function from checked input to stored content: omitted fields become empty or, if only stored when filled, stay out, as do secrets.
 * Decided values, such as resolved links, replace those of the input.
 */
export function contentsOf<F extends Fields>(
  definition: ResourceDefinition<F>
): {
  <Value extends Checked<F> & Values>(input: Value): Content<F, Value>
  <Value extends Checked<F> & Values, Decided extends Values>(
    input: Value,
    decided: Decided
  ): Content<F, Omit<Value, keyof Decided> & Decided>
}
export function contentsOf({ fields }: ResourceDefinition): (input: Values, decided?: Values) => Values {
  return writerOf(fields)
}

/** Compares objects by fields in order: the maps of bodies are sorted. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** Returns a function that compares the writable fields of two resources, except those listed. */
export const sameContentOf = <F extends Fields>(
  { fields }: ResourceDefinition<F>,
  except: readonly (keyof F & string)[] = []
) => {
  const names = Object.entries(fields).flatMap(([name, { by, stored }]) =>
    by === 'caller' && stored !== 'never' && !except.includes(name) ? [name] : []
  )
  return (a: Values, b: Values): boolean => names.every(name => isSame(a[name], b[name]))
}

const linkedIds = (value: unknown): unknown => (Array.isArray(value) ? value.map(idOf) : value)

const idOf = (link: unknown): unknown =>
  typeof link === 'object' && link !== null && 'ID' in link ? link.ID : ''

/** Returns the content hash of a definition's resources. The fields in the hashes of older logs come first, so that those hashes stay valid. */
export const hashesOf = ({ fields, hashOrder = [] }: ResourceDefinition) => {
  const covered = Object.entries(fields).map(([field, { form, hashed: isCovered }]) => ({
    field,
    isLinks: form.type === 'links',
    empty: formOf(form).empty,
    at: hashOrder.indexOf(field),
    isCovered
  }))
  const first = covered.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)
  const added = covered.filter(({ at, isCovered }) => at < 0 && isCovered)
  return (content: Values, before: readonly unknown[] = [], after: readonly unknown[] = []): string => {
    const parts = [...before]
    for (const { field, isLinks, empty } of first) {
      const value = content[field] ?? empty
      parts.push(isLinks ? linkedIds(value) : value)
    }
    parts.push(...after)
    for (const { field, isLinks } of added) {
      const value = content[field]
      if (value !== undefined && !isEmptyValue(value)) parts.push([field, isLinks ? linkedIds(value) : value])
    }
    return contentHash(parts)
  }
}
