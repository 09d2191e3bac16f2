import * as Type from 'typebox'
import type { TSchema, TSchemaOptions } from 'typebox'
import { formatDuration, invalidDuration, parseDuration, SECOND } from '../../duration.js'
import { InvalidValue, invalidField, type Form } from './form.js'

/** Delays below this number of nanoseconds are in seconds. */
const LEAST_DELAY = 1000

/** @throws InvalidValue if the text is no duration */
const parsed = (text: string, path: string): number => {
  const nanoseconds = parseDuration(text)
  if (nanoseconds === undefined) throw invalidField(path, invalidDuration(text))
  return nanoseconds
}

/** Accepts a number or a duration text; an empty text is 0. */
const nanosecondsOf = (raw: unknown, path: string): number =>
  typeof raw === 'number' ? Math.trunc(raw) : raw === '' ? 0 : parsed(String(raw), path)

const textOr = (number: TSchema, options: TSchemaOptions): TSchema =>
  Type.Union([Type.String(), number], options)

export const duration: Form = {
  empty: 0,
  example: () => 7,
  schema: (options, view) => (view === 'shown' ? Type.String(options) : textOr(Type.Integer(), options)),
  filter: () => ({ type: 'string' }),
  parse: (raw, path) => (typeof raw === 'string' ? parsed(raw, path) : raw),
  show: stored => (typeof stored === 'number' && stored !== 0 ? formatDuration(stored) : stored)
}

export const nanoseconds: Form = {
  empty: 0,
  example: () => 7,
  schema: (options, view) => (view === 'shown' ? Type.Integer(options) : textOr(Type.Number(), options)),
  filter: () => ({ type: 'number' }),
  parse: nanosecondsOf
}

export const delay: Form = {
  ...nanoseconds,
  parse: (raw, path) => {
    const given = typeof raw === 'number' ? Math.trunc(raw) : parsed(String(raw), path)
    const value = given < LEAST_DELAY ? given * SECOND : given
    if (!Number.isSafeInteger(value)) throw new InvalidValue(`${path} ${String(raw)} is out of range`)
    return value
  }
}

export const durationText: Form = {
  empty: '',
  example: () => '7s',
  schema: (options, view) => (view === 'shown' ? Type.String(options) : textOr(Type.Number(), options)),
  filter: () => ({ type: 'string' }),
  parse: (raw, path) => {
    const value = nanosecondsOf(raw, path)
    return value === 0 ? '' : formatDuration(value)
  }
}
