// Converts a stored resource to the body of a write.
import type { Fields, ValueType, ResourceDefinition } from '../../events/definition/types.js'

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Links are said by ID alone: their names may be others by now. */
const valueOf = (form: ValueType, value: unknown): unknown => {
  if (value === null) return null
  switch (form.type) {
    case 'links':
      return Array.isArray(value) ? value.map(link => (isValues(link) ? { ID: link['ID'] } : link)) : value
    case 'object':
      return isValues(value) ? valuesOf(form.fields, value) : value
    case 'list':
      return Array.isArray(value) ? value.map(item => valueOf(form.of, item)) : value
    case 'orNull':
    case 'orNone':
    case 'nullTaken':
      return valueOf(form.of, value)
    case 'map':
    case 'text':
    case 'secret':
    case 'choice':
    case 'flag':
    case 'integer':
    case 'time':
    case 'duration':
    case 'delay':
    case 'nanoseconds':
    case 'durationText':
    case 'unsigned':
    case 'empty':
    case 'free':
      return value
  }
}

const valuesOf = (fields: Fields, stored: Values): Values =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { by }]) => by === 'caller' && stored[name] !== undefined)
      .map(([name, { form }]) => [name, valueOf(form, stored[name])])
  )

/** The fields of a body that says what is stored: those that a caller may say. */
export const writeBackBodyOf = ({ fields }: Pick<ResourceDefinition, 'fields'>, stored: object): Values =>
  valuesOf(fields, Object.fromEntries(Object.entries(stored)))
