import * as Type from 'typebox'
import type { TSchema, TSchemaOptions } from 'typebox'
import { isEmptyValue, isObject } from '../../values.js'
import type {
  Field,
  Fields,
  ResourceDefinition,
  Stored,
  StoredInput,
  ValueType,
  WritableBodyOf
} from '../types.js'
import { free, list, map, mustBeEmpty } from './collections.js'
import { delay, duration, durationText, nanoseconds } from './durations.js'
import { storeOf, type FilterFields, type Form, type View } from './form.js'
import { links } from './links.js'
import { nullableSchema, nullTaken, orNone, orNull } from './nullable.js'
import { flag, integer, unsigned } from './numbers.js'
import { choice, secret, text, time } from './texts.js'

type Values = Readonly<Record<string, unknown>>

/** Returns what the server does with values of a type. */
export const formOf = (type: ValueType): Form => {
  switch (type.type) {
    case 'text':
      return text
    case 'secret':
      return secret
    case 'choice':
      return choice(type.of)
    case 'time':
      return time
    case 'flag':
      return flag
    case 'integer':
      return integer
    case 'unsigned':
      return unsigned
    case 'duration':
      return duration
    case 'durationText':
      return durationText
    case 'delay':
      return delay
    case 'nanoseconds':
      return nanoseconds
    case 'links':
      return links(type.to)
    case 'list':
      return list(formOf(type.of))
    case 'map':
      return map(formOf(type.of))
    case 'object':
      return object(type)
    case 'orNull':
      return orNull(formOf(type.of))
    case 'orNone':
      return orNone(formOf(type.of))
    case 'nullTaken':
      return nullTaken(formOf(type.of))
    case 'empty':
      return mustBeEmpty(type.of)
    case 'free':
      return free
  }
}

const object = ({ fields, name, isOpen }: Extract<ValueType, { type: 'object' }>): Form => {
  const store = fieldsWriter(fields)
  return {
    empty: Object.fromEntries(
      Object.entries(fields)
        .filter(([, { stored }]) => stored === 'always')
        .map(([field, { form }]) => [field, formOf(form).empty])
    ),
    example: () =>
      Object.fromEntries(Object.entries(fields).map(([field, { form }]) => [field, formOf(form).example()])),
    schema: (options, view) => {
      if (view === 'shown')
        return Type.Object(
          viewFields(fields, 'shown'),
          name === undefined ? options : { ...options, $id: name }
        )
      const named = name === undefined ? options : { ...options, $id: `${name}Input` }
      return Type.Object(writableFields(fields), isOpen ? named : { ...named, additionalProperties: false })
    },
    filter: () => ({ type: 'object', fields: filterFieldsOf(fields) }),
    parse: fieldsReader(fields),
    store: said => store(isObject(said) ? said : {}),
    show: fieldsView(fields),
    writeBack: stored => (isObject(stored) ? writeBackFields(fields, stored) : stored)
  }
}

/** Returns the conversion of stored objects for responses; undefined if they are shown as stored. */
const fieldsView = (fields: Fields): Form['show'] => {
  const parts = Object.entries(fields).map(([name, { form }]) => [name, formOf(form).show] as const)
  if (parts.every(([, show]) => show === undefined)) return undefined
  return (stored, names) =>
    isObject(stored)
      ? Object.fromEntries(
          parts.map(([name, show]) => [name, show ? show(stored[name], names) : stored[name]])
        )
      : stored
}

/**
 * Returns a function from a body to the values of a command, with defaults for absent fields.
 * @throws InvalidValue from the returned function
 */
export const fieldsReader = (fields: Fields) => {
  const writable = Object.entries(fields)
    .filter(([, { by }]) => by === 'caller')
    .map(([name, { form, absence, otherwise }]) => {
      const { parse, empty } = formOf(form)
      const none = form.type === 'object' ? parse?.({}, '') : empty
      return { name, parse, absent: otherwise ?? (absence === 'tracked' ? undefined : none) }
    })
  return (raw: unknown, path = ''): Values => {
    const input: Record<string, unknown> = {}
    if (!isObject(raw)) return input
    const prefix = path === '' ? '' : `${path}.`
    for (const { name, parse, absent } of writable) {
      const value = raw[name]
      input[name] = value === undefined ? absent : parse ? parse(value, prefix + name) : value
    }
    return input
  }
}

/** Returns a function from a body to what is stored: declared fields in their order, without optional ones that are empty. */
const fieldsWriter = (fields: Fields): ((said: Values) => Values) => {
  const written = Object.entries(fields)
    .filter(([, { by, stored }]) => by === 'caller' && stored !== 'never')
    .map(([name, { form, stored }]) => ({
      name,
      write: storeOf(formOf(form)),
      isOptional: stored === 'filled'
    }))
  return said => {
    const stored: Record<string, unknown> = {}
    for (const { name, write, isOptional } of written) {
      const value = write(said[name])
      if (!isOptional || !isEmptyValue(value)) stored[name] = value
    }
    return stored
  }
}

/** Returns the body of a write that stores these values: the writable fields. */
export const writeBackFields = (fields: Fields, resource: object): Values => {
  const stored: Values = { ...resource }
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { by }]) => by === 'caller' && stored[name] !== undefined)
      .map(([name, { form }]) => {
        const { writeBack } = formOf(form)
        return [name, writeBack ? writeBack(stored[name]) : stored[name]]
      })
  )
}

/** @throws Error for a filterable field of a form that expressions cannot select, which is an error in the definition */
export const filterFieldsOf = (fields: Fields): FilterFields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { filterable }]) => filterable)
      .map(([name, { form }]) => {
        const filter = formOf(form).filter()
        if (!filter)
          throw new Error(`${name}: a field of form "${form.type}" cannot be filtered by: declare it so`)
        return [name, filter]
      })
  )

/**
 * Our own JSON Schema keyword: the possible schemas of a value whose schema accepts anything because other code validates it. Validators
 * ignore it, and the API documentation shows it instead of the schema.
 */
export const SCHEMA_BY_TYPE = 'forms'

/** The schemas of free fields, by name. See `SCHEMA_BY_TYPE`. */
export type JsonObjectTypes = Readonly<Record<string, readonly TSchema[]>>

const optionsOf = (name: string, { description }: Field, types: JsonObjectTypes): TSchemaOptions => ({
  description,
  ...(types[name] ? { [SCHEMA_BY_TYPE]: types[name] } : {})
})

/** Returns the schemas of fields in a body. */
export const writableFields = (fields: Fields, types: JsonObjectTypes = {}): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const fallback = field.otherwise === undefined ? {} : { default: field.otherwise }
      const options = { ...optionsOf(name, field, types), ...fallback }
      return [name, Type.Optional(formOf(field.form).schema(options, 'given'))]
    })
  )

const shownField = (form: ValueType, shows: Field['shown'], options: TSchemaOptions): TSchema => {
  const view: View = 'shown'
  if (shows === 'always') return formOf(form).schema(options, view)
  if (shows === 'nullable') return nullableSchema(formOf(form).schema({}, view), options)
  const filled = shows === 'filled' && form.type === 'orNull' ? form.of : form
  return Type.Optional(formOf(filled).schema(options, view))
}

/** Returns the schemas of fields in a response. */
export const viewFields = (
  fields: Fields,
  which: 'shown' | 'listed',
  types: JsonObjectTypes = {}
): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field[which] !== 'never')
      .map(([name, field]) => [name, shownField(field.form, field[which], optionsOf(name, field, types))])
  )

/**
 * Returns a function that converts the body of a caller to what is stored, with the parts of all objects: absent fields
 * are empty, and optional ones are omitted. For fields whose values are stored as given.
 */
export function storedInputOf<F extends Fields>(fields: F): (said: WritableBodyOf<F>) => StoredInput<F>
export function storedInputOf(fields: Fields): (said: Values) => Values {
  return fieldsWriter(fields)
}

/** Returns a function that picks the stored fields of a definition, in the order of their declaration; required ones that are missing are empty. */
export function pickerOf<F extends Fields>(
  definition: ResourceDefinition<F>
): (from: Stored<F> & Values) => Stored<F>
export function pickerOf({ fields }: ResourceDefinition): (from: Values) => Values {
  const picks = Object.entries(fields).flatMap(([name, { form, stored }]) =>
    stored === 'never' ? [] : [{ name, none: stored === 'always' ? formOf(form).empty : undefined }]
  )
  return from => {
    const picked: Record<string, unknown> = {}
    for (const { name, none } of picks) {
      const value = from[name] === undefined ? none : from[name]
      if (value !== undefined) picked[name] = value
    }
    return picked
  }
}
