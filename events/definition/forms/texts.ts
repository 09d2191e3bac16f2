import * as Type from 'typebox'
import { parseTime, ZERO_TIME } from '../../time.js'
import { invalidField, type Form } from './form.js'

export const text: Form = {
  empty: '',
  example: () => 'sample',
  schema: options => Type.String(options),
  filter: () => ({ type: 'string' })
}

export const secret: Form = { ...text, filter: () => undefined }

export const choice = (choices: readonly string[]): Form => ({
  ...text,
  example: () => choices.at(-1),
  schema: (options, view) =>
    view === 'shown'
      ? Type.Union(
          choices.map(each => Type.Literal(each)),
          options
        )
      : Type.String(options)
})

export const time: Form = {
  ...text,
  example: () => '2026-01-02T03:04:05Z',
  schema: (options, view) => Type.String(view === 'shown' ? { ...options, format: 'date-time' } : options),
  parse: (raw, path) => {
    if (raw === ZERO_TIME) return undefined
    if (typeof raw === 'string' && parseTime(raw) === undefined)
      throw invalidField(path, `"${raw}" is not an RFC 3339 time`)
    return raw
  }
}
