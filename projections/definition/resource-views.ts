import { formatDuration } from '../../events/duration.js'
import type { Tenancy } from '../../events/envelope.js'
import { isEmptyValue } from '../../events/definition/value-types.js'
import { isObject } from '../../events/values.js'
import type {
  Field,
  Fields,
  ValueType,
  ResourceDefinition,
  Visibility,
  Link
} from '../../events/definition/types.js'

export interface NameSource {
  readonly namesVersion: number
  policyName(id: string): string | undefined
  roleName(id: string): string | undefined
}

export const currentLinks = (
  links: readonly Link[],
  nameOf: (id: string) => string | undefined
): readonly Link[] => {
  if (links.length === 0) return links
  return links.flatMap(({ ID }) => {
    const Name = nameOf(ID)
    return Name === undefined ? [] : [{ ID, Name }]
  })
}

type Shows = 'always' | 'filled' | 'as stored' | 'nullable'

type Conversion = (stored: unknown, names: NameSource) => unknown

interface Step {
  readonly name: string
  readonly shows: Shows
  /** Undefined if the stored value is shown. */
  readonly convert: Conversion | undefined
  /** The origin of a field that is not in the row: a part of its tenancy, or its secret. */
  readonly apart: keyof Tenancy | 'secret' | undefined
}

/** Input of JSON.stringify. */
export type ResourceView = Readonly<Record<string, unknown>>

const NO_NAMES: NameSource = { namesVersion: 0, policyName: () => undefined, roleName: () => undefined }

const isShown = (shows: Visibility): shows is Shows => shows !== 'never' && shows !== 'from elsewhere'

const stepsOf = (fields: Fields, which: 'shown' | 'listed'): readonly Step[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const shows = field[which]
    return isShown(shows)
      ? [{ name, shows, convert: conversionOf(field.form), apart: apartOf(name, field) }]
      : []
  })

const apartOf = (name: string, { form, by }: Field): Step['apart'] => {
  if (by === 'tenancy') return name === 'Namespace' ? 'namespace' : 'partition'
  return form.type === 'secret' ? 'secret' : undefined
}

/** Most types are shown as stored. */
const conversionOf = (form: ValueType): Conversion | undefined => {
  if (form.type === 'duration')
    return stored => (typeof stored === 'number' && stored !== 0 ? formatDuration(stored) : stored)
  if (form.type === 'links') {
    const { to } = form
    return (stored, names) =>
      Array.isArray(stored)
        ? currentLinks(stored, id => (to === 'policy' ? names.policyName(id) : names.roleName(id)))
        : stored
  }
  if (form.type === 'orNull' || form.type === 'orNone' || form.type === 'nullTaken')
    return conversionOf(form.of)
  if (form.type !== 'object') return undefined
  const parts = Object.entries(form.fields).map(([name, field]) => [name, conversionOf(field.form)] as const)
  if (parts.every(([, convert]) => convert === undefined)) return undefined
  return (stored, names) =>
    isObject(stored)
      ? Object.fromEntries(
          parts.map(([name, convert]) => [name, convert ? convert(stored[name], names) : stored[name]])
        )
      : stored
}

const shownValue = (value: unknown, shows: Shows): unknown => {
  if (shows === 'always' || shows === 'as stored' || !isEmptyValue(value)) return value
  return shows === 'nullable' ? null : undefined
}

interface ViewContext {
  readonly names?: NameSource
  /** The secret, or its replacement. */
  readonly secret?: string
}

/** Returns a function from stored rows to responses or list entries, in the order of the definition. Cost: the number of fields and links. */
export const resourceViewsOf = <F extends Fields>(
  { fields }: Pick<ResourceDefinition<F>, 'fields'>,
  which: 'shown' | 'listed' = 'shown'
) => {
  const steps = stepsOf(fields, which)
  return (
    stored: Readonly<Record<string, unknown>>,
    tenancy: Tenancy,
    { names = NO_NAMES, secret }: ViewContext = {}
  ): ResourceView => {
    const view: Record<string, unknown> = {}
    for (const { name, shows, convert, apart } of steps)
      if (apart === undefined) {
        const value = stored[name]
        const shown = shownValue(convert ? convert(value, names) : value, shows)
        if (shown !== undefined) view[name] = shown
      } else if (apart === 'secret') view[name] = secret
      else if (tenancy[apart] !== 'default') view[name] = tenancy[apart]
    return view
  }
}
