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
type Reader = (raw: unknown, path: string) => unknown

const unchanged: Reader = raw => raw

/** Delays below this number of nanoseconds are in seconds. */
const LEAST_DELAY = 1000

/** Accepts a number or a duration text; an empty text is 0. */
const nanosecondsOf = (raw: unknown, refused: (reason: string) => Error): number => {
  if (typeof raw === 'number') return Math.trunc(raw)
  const text = String(raw)
  const nanoseconds = text === '' ? 0 : parseDuration(text)
  if (nanoseconds === undefined) throw refused(invalidDuration(text))
  return nanoseconds
}

/** @throws Refusal `invalid` from the returned function, for malformed durations and times */
const readerOf = (form: ValueType, failure: string): Reader => {
  const refused = (path: string, reason: string): Error => invalid(`${failure}: field "${path}": ${reason}`)
  switch (form.type) {
    case 'duration':
      return (raw, path) => {
        if (typeof raw !== 'string') return raw
        const nanoseconds = parseDuration(raw)
        if (nanoseconds === undefined) throw refused(path, invalidDuration(raw))
        return nanoseconds
      }
    case 'delay':
      return (raw, path) => {
        const nanoseconds = typeof raw === 'number' ? Math.trunc(raw) : parseDuration(String(raw))
        if (nanoseconds === undefined) throw refused(path, invalidDuration(String(raw)))
        const value = nanoseconds < LEAST_DELAY ? nanoseconds * SECOND : nanoseconds
        if (!Number.isSafeInteger(value)) throw invalid(`${failure}: ${path} ${String(raw)} is out of range`)
        return value
      }
    case 'nanoseconds':
      return (raw, path) => nanosecondsOf(raw, reason => refused(path, reason))
    case 'durationText':
      return (raw, path) => {
        const nanoseconds = nanosecondsOf(raw, reason => refused(path, reason))
        return nanoseconds === 0 ? '' : formatDuration(nanoseconds)
      }
    case 'time':
      return (raw, path) => {
        if (raw === ZERO_TIME) return undefined
        if (typeof raw === 'string' && parseTime(raw) === undefined)
          throw refused(path, `"${raw}" is not an RFC 3339 time`)
        return raw
      }
    case 'object': {
      const read = fieldsReader(form.fields, failure)
      return (raw, path) => read(raw, `${path}.`)
    }
    case 'orNone':
      return readerOf(form.of, failure)
    case 'list': {
      const read = readerOf(form.of, failure)
      if (read === unchanged) return unchanged
      return (raw, path) => (Array.isArray(raw) ? raw.map((item, i) => read(item, `${path}.${i}`)) : raw)
    }
    case 'orNull':
    case 'nullTaken': {
      const read = readerOf(form.of, failure)
      const nullValue = emptyValueOf(form)
      if (read === unchanged && nullValue === null) return unchanged
      return (raw, path) => (raw === null ? nullValue : read(raw, path))
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
      return unchanged
  }
}

const NO_FIELDS = {}

const fieldsReader = (fields: Fields, failure: string) => {
  const writable = Object.entries(fields)
    .filter(([, { by }]) => by === 'caller')
    .map(([name, { form, absence, otherwise }]) => {
      const read = readerOf(form, failure)
      const none = form.type === 'object' ? read(NO_FIELDS, '') : emptyValueOf(form)
      return { name, read, absent: otherwise ?? (absence === 'tracked' ? undefined : none) }
    })
  return (raw: unknown, path: string): object => {
    const input: Record<string, unknown> = {}
    if (!isObject(raw)) return input
    for (const { name, read, absent } of writable) {
      const value = raw[name]
      input[name] = value === undefined ? absent : read(value, path + name)
    }
    return input
  }
}

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
  return (raw: RequestBodyOf<F>): Input<F> => {
    const input = read(raw, '')
    if (isComplete(shape, input)) return input
    throw new Error(`the input of a ${shape.name} lacks fields`)
  }
}
