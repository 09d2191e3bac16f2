// Conversion of validated request bodies to the input of commands, following the resource definition.
import { invalid } from '../../../actors/refusal.js'
import { formatDuration, invalidDuration, parseDuration, SECOND } from '../../../events/duration.js'
import { emptyValueOf } from '../../../events/definition/value-types.js'
import type {
  Fields,
  ValueType,
  RequestBodyOf,
  Input,
  ResourceDefinition
} from '../../../events/definition/types.js'
import { parseTime, ZERO_TIME } from '../../../events/time.js'
import { isObject } from '../../../events/values.js'

/** Converts a value that matches its field type. @param path of the value, for errors */
type Reader = (given: unknown, path: string) => unknown

const asGiven: Reader = given => given

/** Delays below this number of nanoseconds are in seconds. */
const LEAST_DELAY = 1000

/** Accepts a number or a duration text; an empty text is 0. */
const nanosecondsOf = (given: unknown, refused: (reason: string) => Error): number => {
  if (typeof given === 'number') return Math.trunc(given)
  const text = String(given)
  const nanoseconds = text === '' ? 0 : parseDuration(text)
  if (nanoseconds === undefined) throw refused(invalidDuration(text))
  return nanoseconds
}

/** @throws Refusal `invalid` from the returned function, for malformed durations and times */
const readerOf = (form: ValueType, failure: string): Reader => {
  const refused = (path: string, reason: string): Error => invalid(`${failure}: field "${path}": ${reason}`)
  switch (form.type) {
    case 'duration':
      return (given, path) => {
        if (typeof given !== 'string') return given
        const nanoseconds = parseDuration(given)
        if (nanoseconds === undefined) throw refused(path, invalidDuration(given))
        return nanoseconds
      }
    case 'delay':
      return (given, path) => {
        const nanoseconds = typeof given === 'number' ? Math.trunc(given) : parseDuration(String(given))
        if (nanoseconds === undefined) throw refused(path, invalidDuration(String(given)))
        const value = nanoseconds < LEAST_DELAY ? nanoseconds * SECOND : nanoseconds
        if (!Number.isSafeInteger(value))
          throw invalid(`${failure}: ${path} ${String(given)} is out of range`)
        return value
      }
    case 'nanoseconds':
      return (given, path) => nanosecondsOf(given, reason => refused(path, reason))
    case 'durationText':
      return (given, path) => {
        const nanoseconds = nanosecondsOf(given, reason => refused(path, reason))
        return nanoseconds === 0 ? '' : formatDuration(nanoseconds)
      }
    case 'time':
      return (given, path) => {
        if (given === ZERO_TIME) return undefined
        if (typeof given === 'string' && parseTime(given) === undefined)
          throw refused(path, `"${given}" is not an RFC 3339 time`)
        return given
      }
    case 'object': {
      const read = fieldsReader(form.fields, failure)
      return (given, path) => read(given, `${path}.`)
    }
    case 'orNone':
      return readerOf(form.of, failure)
    case 'list': {
      const read = readerOf(form.of, failure)
      if (read === asGiven) return asGiven
      return (given, path) =>
        Array.isArray(given) ? given.map((item, i) => read(item, `${path}.${i}`)) : given
    }
    case 'orNull':
    case 'nullTaken': {
      const read = readerOf(form.of, failure)
      const nullValue = emptyValueOf(form)
      if (read === asGiven && nullValue === null) return asGiven
      return (given, path) => (given === null ? nullValue : read(given, path))
    }
    case 'text':
    case 'secret':
    case 'choice':
    case 'flag':
    case 'integer':
    case 'unsigned':
    case 'empty':
    case 'links':
    case 'map':
    case 'free':
      return asGiven
  }
}

const NO_FIELDS = {}

const fieldsReader = (fields: Fields, failure: string) => {
  const writable = Object.entries(fields)
    .filter(([, { by }]) => by === 'caller')
    .map(([name, { form, absence, otherwise }]) => {
      const read = readerOf(form, failure)
      const none = form.type === 'object' ? read(NO_FIELDS, '') : emptyValueOf(form)
      return { name, read, absent: otherwise ?? (absence === 'told' ? undefined : none) }
    })
  return (given: unknown, path: string): object => {
    const input: Record<string, unknown> = {}
    if (!isObject(given)) return input
    for (const { name, read, absent } of writable) {
      const value = given[name]
      input[name] = value === undefined ? absent : read(value, path + name)
    }
    return input
  }
}

/** `fieldsReader` has set every writable field. */
const isComplete = <F extends Fields>(
  _shape: Pick<ResourceDefinition<F>, 'fields'>,
  input: object
): input is Input<F> => input !== null

/**
 * Returns a function that converts request bodies of a resource definition to inputs, with defaults for absent fields.
 * @param failure the beginning of errors
 * @throws Refusal `invalid` from the returned function, for malformed durations and times
 */
export const inputsOf = <F extends Fields>(
  shape: Pick<ResourceDefinition<F>, 'name' | 'fields'>,
  failure = `Bad request: ${shape.name} decoding failed`
) => {
  const read = fieldsReader(shape.fields, failure)
  return (given: RequestBodyOf<F>): Input<F> => {
    const input = read(given, '')
    if (isComplete(shape, input)) return input
    throw new Error(`the input of a ${shape.name} lacks fields`)
  }
}
