/** Returns the value of a key, which is created if it is missing. */
export const getOrCreate = <Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value => {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}

export const addTo = <Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void => {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}

/** Removes a set that becomes empty. */
export const removeFrom = <Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void => {
  const set = sets.get(key)
  set?.delete(value)
  if (set?.size === 0) sets.delete(key)
}
