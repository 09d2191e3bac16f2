// From what a caller said to what is stored and hashed, as a shape declares it.
import { hash } from 'node:crypto'
import { emptyValueOf, isEmptyValue } from '../events/definition/value-types.js'
import type { Content, Fields, ValueType, Input, ResourceDefinition } from '../events/definition/types.js'
import { isObject } from '../events/values.js'

type Values = Readonly<Record<string, unknown>>

/**
 * Base64 of the SHA-256 of a value's JSON: equal content in equal order gives equal hashes (spec: acl.md
 * §3.2).
 */
export const contentHash = (content: unknown): string => hash('sha256', JSON.stringify(content), 'base64')

/** Every field that is always stored was given a value below. */
const isWhole = <F extends Fields, Said>(
  _shape: ResourceDefinition<F>,
  _said: Said,
  content: object
): content is Content<F, Said> => content !== null

/** An input, in which what was looked up and checked may stand in its stored form. */
type Checked<F extends Fields> = { readonly [Name in keyof Input<F>]: unknown }

/** Makes what is stored of fields, and of those of the objects in them. */
const writerOf = (fields: Fields): ((input: Values) => Values) => {
  const written = Object.entries(fields)
    .filter(([, { form, by, stored }]) => by === 'caller' && stored !== 'never' && form.type !== 'secret')
    .map(([name, { form, stored }]) => ({
      name,
      isOptional: stored === 'filled',
      empty: emptyValueOf(form),
      writeInner: form.type === 'object' ? writerOf(form.fields) : undefined
    }))
  return input => {
    const content: Record<string, unknown> = {}
    for (const { name, isOptional, empty, writeInner } of written) {
      const said = input[name]
      if (isOptional && isEmptyValue(said)) continue
      const value = said ?? empty
      content[name] = writeInner && isObject(value) ? writeInner(value) : value
    }
    return content
  }
}

/**
 * Makes what is stored of an input in which links were looked up and choices checked: empty values stand for
 * what was not said, and what is only stored where it is filled is left out. Secrets are not among it.
 */
export const contentsOf = <F extends Fields>(shape: ResourceDefinition<F>) => {
  const write = writerOf(shape.fields)
  return <Said extends Checked<F> & Values>(input: Said): Content<F, Said> => {
    const content = write(input)
    if (isWhole(shape, input, content)) return content
    throw new Error(`the content of a ${shape.name} lacks fields`)
  }
}

/** Objects are equal when they have equal fields in the same order: bodies bring maps sorted. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** Tells whether two things of a shape agree in what callers say of them, but for some fields. */
export const sameContentOf = <F extends Fields>(
  { fields }: ResourceDefinition<F>,
  except: readonly (keyof F & string)[] = []
) => {
  const names = Object.entries(fields).flatMap(([name, { by, stored }]) =>
    by === 'caller' && stored !== 'never' && !except.includes(name) ? [name] : []
  )
  return (a: Values, b: Values): boolean => names.every(name => isSame(a[name], b[name]))
}

const hashed = (form: ValueType, value: unknown): unknown =>
  form.type === 'links' && Array.isArray(value) ? value.map(idOf) : value

const idOf = (link: unknown): unknown =>
  typeof link === 'object' && link !== null && 'ID' in link ? link.ID : ''

/**
 * Makes the content hash of things of a shape: equal content gives equal hashes, and what the hashes in the
 * log cover comes first, so that they hold.
 */
export const hashesOf = ({ fields, hashOrder = [] }: ResourceDefinition) => {
  const covered = Object.entries(fields).map(([field, { form, hashed: isCovered }]) => ({
    field,
    form,
    empty: emptyValueOf(form),
    at: hashOrder.indexOf(field),
    isCovered
  }))
  const first = covered.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)
  const added = covered.filter(({ at, isCovered }) => at < 0 && isCovered)
  return (content: Values, before: readonly unknown[] = [], after: readonly unknown[] = []): string => {
    const parts = [...before]
    for (const { field, form, empty } of first) parts.push(hashed(form, content[field] ?? empty))
    parts.push(...after)
    for (const { field, form } of added) {
      const value = content[field]
      if (!isEmptyValue(value)) parts.push([field, hashed(form, value)])
    }
    return contentHash(parts)
  }
}
