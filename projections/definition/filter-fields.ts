import type { Fields, ValueType } from '../../events/definition/types.js'
import {
  bool,
  map,
  number,
  object,
  objects,
  string,
  strings,
  type Fields as FilterFields,
  type FieldType
} from '../language/filter-syntax.js'

const LINKS = objects({ ID: string, Name: string })

/** @throws Error for a form that expressions cannot select, which is an error in the definition */
const typeOf = (form: ValueType): FieldType => {
  switch (form.type) {
    case 'text':
    case 'choice':
    case 'time':
    case 'duration':
    case 'durationText':
      return string
    case 'flag':
      return bool
    case 'integer':
    case 'unsigned':
    case 'delay':
    case 'nanoseconds':
      return number
    case 'links':
      return LINKS
    case 'list':
      return form.of.type === 'object' ? objects(filterFieldsOf(form.of.fields)) : strings
    case 'map':
      return map(typeOf(form.of))
    case 'orNull':
    case 'orNone':
    case 'nullTaken':
      return typeOf(form.of)
    case 'object':
      return object(filterFieldsOf(form.fields))
    case 'secret':
    case 'free':
    case 'empty':
      throw new Error(`a field of form "${form.type}" cannot be filtered by: declare it so`)
  }
}

export const filterFieldsOf = (fields: Fields): FilterFields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { filterable }]) => filterable)
      .map(([name, { form }]) => [name, typeOf(form)])
  )
