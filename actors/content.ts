// From what a caller said to what is stored and hashed, as a shape declares it.
import { emptyOf, isEmpty } from '../events/shape/forms.js'
import type { Content, Fields, Form, Shape } from '../events/shape/types.js'
import { contentHash } from './hash.js'

type Values = Readonly<Record<string, unknown>>

/** Every field that is always stored was given a value below. */
const isWhole = <F extends Fields>(_shape: Shape<F>, content: object): content is Content<F> =>
  content !== null

/**
 * Makes the stored form of what callers may say: empty values stand for what was not said, and what is only stored where
 * it is filled is left out. Links are as the caller gave them.
 */
export const contentsOf = <F extends Fields>(shape: Shape<F>) => {
  const fields = Object.entries(shape.fields)
    .filter(([, { by, stored }]) => by === 'caller' && stored !== 'never')
    .map(([name, { form, stored }]) => ({ name, isOptional: stored === 'filled', empty: emptyOf(form) }))
  return (input: Values): Content<F> => {
    const content: Record<string, unknown> = {}
    for (const { name, isOptional, empty } of fields) {
      const value = input[name] ?? empty
      if (!isOptional || !isEmpty(value)) content[name] = value
    }
    if (isWhole(shape, content)) return content
    throw new Error(`the content of a ${shape.name} lacks fields`)
  }
}

const hashed = (form: Form, value: unknown): unknown =>
  form.type === 'links' && Array.isArray(value) ? value.map(idOf) : value

const idOf = (link: unknown): unknown =>
  typeof link === 'object' && link !== null && 'ID' in link ? link.ID : ''

/**
 * Makes the content hash of things of a shape: equal content gives equal hashes, and what the hashes in the log cover comes
 * first, so that they hold.
 */
export const hashesOf = ({ fields, hashed: order = [] }: Shape) => {
  const covered = Object.entries(fields).map(([field, { form, by, stored }]) => ({
    field,
    form,
    empty: emptyOf(form),
    at: order.indexOf(field),
    isAdded: by === 'caller' && stored === 'filled'
  }))
  const first = covered.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)
  const added = covered.filter(({ at, isAdded }) => at < 0 && isAdded)
  return (content: Values, before: readonly unknown[] = [], after: readonly unknown[] = []): string =>
    contentHash([
      ...before,
      ...first.map(({ field, form, empty }) => hashed(form, content[field] ?? empty)),
      ...after,
      ...added.flatMap(({ field, form }) =>
        isEmpty(content[field]) ? [] : [[field, hashed(form, content[field])]]
      )
    ])
}
