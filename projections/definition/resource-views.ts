import type { Tenancy } from '../../events/envelope.js'
import type { Form, NameSource } from '../../events/definition/forms/form.js'
import { formOf } from '../../events/definition/forms/forms.js'
import { isEmptyValue } from '../../events/values.js'
import type { Field, Fields, ResourceDefinition, Visibility } from '../../events/definition/types.js'

type Shows = 'always' | 'filled' | 'as stored' | 'nullable'

interface Step {
  readonly name: string
  readonly shows: Shows
  /** Undefined if the stored value is shown. */
  readonly convert: Form['show']
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
      ? [{ name, shows, convert: formOf(field.form).show, apart: apartOf(name, field) }]
      : []
  })

const apartOf = (name: string, { form, by }: Field): Step['apart'] => {
  if (by === 'tenancy') return name === 'Namespace' ? 'namespace' : 'partition'
  return form.type === 'secret' ? 'secret' : undefined
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
        const value = convert ? convert(stored[name], names) : stored[name]
        const isStored = value !== undefined
        if (isStored && (shows === 'always' || shows === 'as stored' || !isEmptyValue(value)))
          view[name] = value
        else if (shows === 'nullable') view[name] = null
      } else if (apart === 'secret') view[name] = secret
      else if (tenancy[apart] !== 'default') view[name] = tenancy[apart]
    return view
  }
}
