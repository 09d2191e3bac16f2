// Sets by key, without empty ones.

export const addTo = <Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void => {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}

export const removeFrom = <Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void => {
  const set = sets.get(key)
  set?.delete(value)
  if (set?.size === 0) sets.delete(key)
}
