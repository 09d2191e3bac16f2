// Converts a stored resource to the body of a write.
import { isObject } from '../../events/values.js'
import type { Fields, ValueType, ResourceDefinition } from '../../events/definition/types.js'

type Values = Readonly<Record<string, unknown>>

/** Links are identified by ID only, since the linked resource may have been renamed. */
const valueOf = (form: ValueType, value: unknown): unknown => {
  if (form.type === 'orNull' || form.type === 'orNone' || form.type === 'nullTaken')
    return valueOf(form.of, value)
  if (form.type === 'object') return isObject(value) ? valuesOf(form.fields, value) : value
  if (!Array.isArray(value)) return value
  if (form.type === 'links') return value.map(link => (isObject(link) ? { ID: link['ID'] } : link))
  return form.type === 'list' ? value.map(item => valueOf(form.of, item)) : value
}

const valuesOf = (fields: Fields, stored: Values): Values =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { by }]) => by === 'caller' && stored[name] !== undefined)
      .map(([name, { form }]) => [name, valueOf(form, stored[name])])
  )

/** Returns the body of a write that stores these values: the writable fields. */
export const writeBackBodyOf = ({ fields }: Pick<ResourceDefinition, 'fields'>, stored: object): Values =>
  valuesOf(fields, Object.fromEntries(Object.entries(stored)))
