import * as Type from 'typebox'
import { isObject } from '../../values.js'
import { storeOf, type Form } from './form.js'

/** Shared by all that have none. */
const NO_ITEMS: readonly never[] = []
const NO_KEYS: Readonly<Record<string, never>> = {}

export const list = (item: Form): Form => {
  const { parse, writeBack } = item
  const store = storeOf(item)
  return {
    empty: NO_ITEMS,
    example: () => [item.example()],
    schema: (options, view) => Type.Array(item.schema({}, view), options),
    filter: () => {
      const of = item.filter()
      return of?.type === 'object' ? { type: 'objects', fields: of.fields } : { type: 'strings' }
    },
    ...(parse && {
      parse: (raw, path) => (Array.isArray(raw) ? raw.map((value, i) => parse(value, `${path}.${i}`)) : raw)
    }),
    store: said => (Array.isArray(said) ? said.map(value => store(value)) : NO_ITEMS),
    ...(writeBack && {
      writeBack: stored => (Array.isArray(stored) ? stored.map(value => writeBack(value)) : stored)
    })
  }
}

const sorted = (map: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Stored in the order of the keys. */
export const map = (item: Form): Form => {
  const store = storeOf(item)
  return {
    empty: NO_KEYS,
    example: () => ({ key: item.example() }),
    schema: (options, view) => Type.Record(Type.String(), item.schema({}, view), options),
    filter: () => {
      const of = item.filter()
      return of && { type: 'map', of }
    },
    store: said =>
      Object.fromEntries(sorted(isObject(said) ? said : {}).map(([key, value]) => [key, store(value)]))
  }
}

/** Any JSON object. */
export const free: Form = {
  empty: NO_KEYS,
  example: () => ({ any: 'value' }),
  schema: options => Type.Record(Type.String(), Type.Unknown(), options),
  filter: () => undefined
}

/** A field of another version of the API, accepted only where it says nothing. */
export const mustBeEmpty = (of: 'text' | 'flag' | 'list'): Form => {
  const empty = { text: '', flag: false, list: NO_ITEMS }[of]
  return {
    empty,
    example: () => empty,
    schema: (options, view) => {
      if (view === 'shown') return Type.Unknown(options)
      return of === 'list'
        ? Type.Array(Type.Unknown(), { ...options, maxItems: 0 })
        : Type.Literal(of === 'flag' ? false : '', options)
    },
    filter: () => undefined
  }
}
