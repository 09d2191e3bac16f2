// From a checked body to what a command says, as a shape declares it.
import { invalid } from '../../../actors/refusal.js'
import { invalidDuration, parseDuration } from '../../../events/duration.js'
import { emptyOf } from '../../../events/shape/forms.js'
import type { Fields, Form, Given, Input, Shape } from '../../../events/shape/types.js'
import { parseTime, ZERO_TIME } from '../../../events/time.js'
import { isFields } from './validators.js'

/** Reads a value that has the schema of its form. @param path of the value, for errors */
type Reader = (given: unknown, path: string) => unknown

const asGiven: Reader = given => given

/** @throws Refusal `invalid` from what it makes, for a text that is no duration or no time */
const readerOf = (form: Form, what: string): Reader => {
  const refused = (path: string, reason: string): Error =>
    invalid(`Bad request: ${what} decoding failed: field "${path}": ${reason}`)
  switch (form.type) {
    case 'duration':
      return (given, path) => {
        if (typeof given !== 'string') return given
        const nanoseconds = parseDuration(given)
        if (nanoseconds === undefined) throw refused(path, invalidDuration(given))
        return nanoseconds
      }
    case 'time':
      return (given, path) => {
        if (given === ZERO_TIME) return undefined
        if (typeof given === 'string' && parseTime(given) === undefined)
          throw refused(path, `"${given}" is not an RFC 3339 time`)
        return given
      }
    case 'object': {
      const read = fieldsReader(form.fields, what)
      return (given, path) => read(given, `${path}.`)
    }
    case 'list': {
      const read = readerOf(form.of, what)
      if (read === asGiven) return asGiven
      return (given, path) =>
        Array.isArray(given) ? given.map((item, i) => read(item, `${path}.${i}`)) : given
    }
    case 'text':
    case 'secret':
    case 'choice':
    case 'flag':
    case 'integer':
    case 'links':
    case 'map':
    case 'free':
      return asGiven
  }
}

const fieldsReader = (fields: Fields, what: string) => {
  const said = Object.entries(fields)
    .filter(([, { by }]) => by === 'caller')
    .map(([name, { form, absence }]) => ({
      name,
      read: readerOf(form, what),
      absent: absence === 'told' ? undefined : emptyOf(form)
    }))
  return (given: unknown, path: string): object => {
    const input: Record<string, unknown> = {}
    if (!isFields(given)) return input
    for (const { name, read, absent } of said) {
      const value = given[name]
      input[name] = value === undefined ? absent : read(value, path + name)
    }
    return input
  }
}

/** Every field that a caller may say was given a value above. */
const isWhole = <F extends Fields>(_shape: Shape<F>, input: object): input is Input<F> => input !== null

/**
 * Reads what the caller said in the bodies of a shape; the empty value stands for what was not said.
 * @returns a function that throws a Refusal `invalid` for a text that is no duration or no time
 */
export const inputsOf = <F extends Fields>(shape: Shape<F>) => {
  const read = fieldsReader(shape.fields, shape.name)
  return (given: Given<F>): Input<F> => {
    const input = read(given, '')
    if (isWhole(shape, input)) return input
    throw new Error(`the input of a ${shape.name} lacks fields`)
  }
}
