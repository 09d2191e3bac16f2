// What answers show of a row, as its shape declares it.
import { formatDuration } from '../../events/duration.js'
import type { Tenancy } from '../../events/envelope.js'
import { isEmpty } from '../../events/shape/forms.js'
import type { Field, Fields, Form, Shape, Shown } from '../../events/shape/types.js'
import { currentLinks, type NameSource } from '../acl/links.js'

type Shows = 'always' | 'filled' | 'as stored' | 'nullable'

interface Step {
  readonly name: string
  readonly form: Form
  readonly shows: Shows
  /** The field is a part of the tenancy. */
  readonly part: keyof Tenancy | undefined
}

/** The object that JSON is made of; what is left out of it is undefined. */
export type Answer = Readonly<Record<string, unknown>>

/** What stands in rows whose things link to nothing. */
const NO_NAMES: NameSource = { namesVersion: 0, policyName: () => undefined, roleName: () => undefined }

const isShown = (shows: Shown): shows is Shows => shows !== 'never' && shows !== 'from elsewhere'

const stepsOf = (fields: Fields, which: 'shown' | 'listed'): readonly Step[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const shows = field[which]
    return isShown(shows) ? [{ name, form: field.form, shows, part: partOf(name, field) }] : []
  })

const partOf = (name: string, { by }: Field): keyof Tenancy | undefined =>
  by !== 'tenancy' ? undefined : name === 'Namespace' ? 'namespace' : 'partition'

const valueOf = (form: Form, stored: unknown, names: NameSource): unknown => {
  if (form.type === 'object' && hasLinks(form) && isValues(stored))
    return Object.fromEntries(
      Object.entries(form.fields).map(([name, field]) => [name, valueOf(field.form, stored[name], names)])
    )
  if (form.type === 'links' && Array.isArray(stored))
    return currentLinks(stored, id => (form.to === 'policy' ? names.policyName(id) : names.roleName(id)))
  return form.type === 'duration' && typeof stored === 'number' && stored !== 0
    ? formatDuration(stored)
    : stored
}

const hasLinks = (form: Form): boolean =>
  form.type === 'object' && Object.values(form.fields).some(field => field.form.type === 'links')

const isValues = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const shownValue = (value: unknown, shows: Shows): unknown => {
  if (shows === 'always' || shows === 'as stored' || !isEmpty(value)) return value
  return shows === 'nullable' ? null : undefined
}

/**
 * Makes the answer about a thing, or its entry in a list, of what is stored. Fields have the order in which they are
 * declared. Cost: the number of fields, and of links.
 */
export const answersOf = <F extends Fields>({ fields }: Shape<F>, which: 'shown' | 'listed' = 'shown') => {
  const steps = stepsOf(fields, which)
  return (
    stored: Readonly<Record<string, unknown>>,
    tenancy: Tenancy,
    names: NameSource = NO_NAMES
  ): Answer => {
    const answer: Record<string, unknown> = {}
    for (const { name, form, shows, part } of steps)
      if (part === undefined) answer[name] = shownValue(valueOf(form, stored[name], names), shows)
      else if (tenancy[part] !== 'default') answer[name] = tenancy[part]
    return answer
  }
}
