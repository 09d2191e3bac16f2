// Objects without the fields that nobody gave.

/** `T` without `undefined` among the values of its fields; a field that had it may be absent. */
type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

const isCompact = <T extends object>(value: T | Compact<T>): value is Compact<T> =>
  !Object.values(value).includes(undefined)

/** The object without fields that are undefined. */
export const compact = <T extends object>(given: T): Compact<T> => {
  const kept: T = { ...given }
  for (const name in kept) if (kept[name] === undefined) delete kept[name]
  if (!isCompact(kept)) throw new Error('a field is undefined')
  return kept
}
