// The forms that values may have, and what stands for nothing said.
import type { Fields, Form, LinkTarget } from './types.js'

export const text = { type: 'text' } as const
export const secret = { type: 'secret' } as const
export const flag = { type: 'flag' } as const
export const integer = { type: 'integer' } as const
export const unsigned = { type: 'unsigned' } as const
export const time = { type: 'time' } as const
export const duration = { type: 'duration' } as const
export const delay = { type: 'delay' } as const
export const nanoseconds = { type: 'nanoseconds' } as const
export const durationText = { type: 'durationText' } as const
export const free = { type: 'free' } as const

export const choice = <const Choices extends readonly string[]>(...of: Choices) =>
  ({ type: 'choice', of }) as const
export const links = <const To extends LinkTarget>(to: To) => ({ type: 'links', to }) as const
export const list = <const Item extends Form>(of: Item) => ({ type: 'list', of }) as const
export const map = <const Item extends Form>(of: Item) => ({ type: 'map', of }) as const
export const object = <const Inner extends Fields>(fields: Inner, name?: string) =>
  ({ type: 'object', fields, ...(name === undefined ? {} : { name }) }) as const
/** One that may have other fields in bodies. */
export const openObject = <const Inner extends Fields>(fields: Inner, name: string) =>
  ({ type: 'object', fields, name, isOpen: true }) as const
export const orNull = <const Item extends Form>(of: Item) => ({ type: 'orNull', of }) as const
export const orNone = <const Item extends Form>(of: Item) => ({ type: 'orNone', of }) as const
export const empty = (of: 'text' | 'flag' | 'list') => ({ type: 'empty', of }) as const
export const nullTaken = <const Item extends Form>(of: Item) => ({ type: 'nullTaken', of }) as const
export const texts = list(text)

/** Shared by all that have none. */
const NO_ITEMS: readonly never[] = []
const NO_KEYS: Readonly<Record<string, never>> = {}

/** The value that stands for nothing said. */
export const emptyOf = (form: Form): unknown => {
  switch (form.type) {
    case 'flag':
      return false
    case 'integer':
    case 'unsigned':
    case 'duration':
    case 'delay':
    case 'nanoseconds':
      return 0
    case 'object':
      return Object.fromEntries(
        Object.entries(form.fields)
          .filter(([, { stored }]) => stored === 'always')
          .map(([name, field]) => [name, emptyOf(field.form)])
      )
    case 'empty':
      return { text: '', flag: false, list: NO_ITEMS }[form.of]
    case 'orNone':
    case 'orNull':
      return null
    case 'list':
    case 'links':
      return NO_ITEMS
    case 'map':
    case 'free':
      return NO_KEYS
    case 'nullTaken':
      return emptyOf(form.of)
    case 'text':
    case 'secret':
    case 'choice':
    case 'time':
    case 'durationText':
      return ''
  }
}

/** Whether a value says nothing: '', 0, false, no items, no keys, or it is not there. */
export const isEmpty = (value: unknown): boolean => {
  if (typeof value !== 'object') return value === undefined || value === '' || value === 0 || value === false
  if (value === null) return true
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}
