import type { Fields, ValueType, LinkTarget } from './types.js'

export const textType = { type: 'text' } as const
export const secretType = { type: 'secret' } as const
export const booleanType = { type: 'flag' } as const
export const integerType = { type: 'integer' } as const
export const unsignedType = { type: 'unsigned' } as const
export const timeType = { type: 'time' } as const
export const durationType = { type: 'duration' } as const
export const delayType = { type: 'delay' } as const
export const nanosecondsType = { type: 'nanoseconds' } as const
export const durationTextType = { type: 'durationText' } as const
export const jsonObjectType = { type: 'free' } as const

export const choiceType = <const Choices extends readonly string[]>(...of: Choices) =>
  ({ type: 'choice', of }) as const
export const linksType = <const To extends LinkTarget>(to: To) => ({ type: 'links', to }) as const
export const listType = <const Item extends ValueType>(of: Item) => ({ type: 'list', of }) as const
export const mapType = <const Item extends ValueType>(of: Item) => ({ type: 'map', of }) as const
export const objectType = <const Inner extends Fields>(fields: Inner, name?: string) =>
  ({ type: 'object', fields, ...(name === undefined ? {} : { name }) }) as const
/** One that may have other fields in bodies. */
export const openObjectType = <const Inner extends Fields>(fields: Inner, name: string) =>
  ({ type: 'object', fields, name, isOpen: true }) as const
export const nullableType = <const Item extends ValueType>(of: Item) => ({ type: 'orNull', of }) as const
export const optionalType = <const Item extends ValueType>(of: Item) => ({ type: 'orNone', of }) as const
export const mustBeEmptyType = (of: 'text' | 'flag' | 'list') => ({ type: 'empty', of }) as const
export const nullAcceptedType = <const Item extends ValueType>(of: Item) =>
  ({ type: 'nullTaken', of }) as const
export const textListType = listType(textType)
