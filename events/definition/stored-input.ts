// From what a caller said to what is stored, as a shape declares it.
import { isObject } from '../values.js'
import { emptyValueOf, isEmptyValue } from './value-types.js'
import type { Fields, ValueType, WritableBodyOf, ResourceDefinition, Stored, StoredInput } from './types.js'

type Values = Readonly<Record<string, unknown>>

const sorted = (map: Values): [string, unknown][] =>
  Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Makes what is stored of a value: the parts that are declared, in that order, and maps in the order of their keys. */
const writerOf = (form: ValueType): ((said: unknown) => unknown) => {
  switch (form.type) {
    case 'object': {
      const write = fieldsWriter(form.fields)
      return said => write(isObject(said) ? said : {})
    }
    case 'nullTaken':
      return writerOf(form.of)
    case 'orNull':
    case 'orNone': {
      const write = writerOf(form.of)
      return said => (said === undefined || said === null ? null : write(said))
    }
    case 'list': {
      const write = writerOf(form.of)
      const none = emptyValueOf(form)
      return said => (Array.isArray(said) ? said.map(item => write(item)) : none)
    }
    case 'map': {
      const write = writerOf(form.of)
      return said =>
        Object.fromEntries(sorted(isObject(said) ? said : {}).map(([key, item]) => [key, write(item)]))
    }
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
    case 'links':
    case 'free': {
      const none = emptyValueOf(form)
      return said => said ?? none
    }
  }
}

const fieldsWriter = (fields: Fields): ((said: Values) => Values) => {
  const written = Object.entries(fields)
    .filter(([, { by, stored }]) => by === 'caller' && stored !== 'never')
    .map(([name, { form, stored }]) => ({ name, write: writerOf(form), isOptional: stored === 'filled' }))
  return said => {
    const stored: Record<string, unknown> = {}
    for (const { name, write, isOptional } of written) {
      const value = write(said[name])
      if (!isOptional || !isEmptyValue(value)) stored[name] = value
    }
    return stored
  }
}

/** Every field that is always stored was given a value above. */
const isWhole = <F extends Fields>(_fields: F, stored: Values): stored is StoredInput<F> & Values =>
  stored !== null

/**
 * Makes what is stored of what a caller said, with the parts of all objects: empty values stand for what was not said,
 * and what is only stored where it is filled is left out. For fields whose values are stored as they are given.
 */
export const storedInputOf = <F extends Fields>(fields: F) => {
  const write = fieldsWriter(fields)
  return (said: WritableBodyOf<F>): StoredInput<F> => {
    const stored = write(said)
    if (isWhole(fields, stored)) return stored
    throw new Error('what is stored lacks fields')
  }
}

const isPicked = <F extends Fields>(_shape: ResourceDefinition<F>, picked: object): picked is Stored<F> =>
  picked !== null

/** Returns a function that picks the stored fields of a definition, in the order of their declaration. */
export const pickerOf = <F extends Fields>(shape: ResourceDefinition<F>) => {
  const names = Object.entries(shape.fields).flatMap(([name, { stored }]) =>
    stored === 'never' ? [] : [name]
  )
  return (from: Stored<F> & Values): Stored<F> => {
    const picked: Record<string, unknown> = {}
    for (const name of names) if (from[name] !== undefined) picked[name] = from[name]
    if (isPicked(shape, picked)) return picked
    throw new Error(`a stored ${shape.name} lacks fields`)
  }
}
