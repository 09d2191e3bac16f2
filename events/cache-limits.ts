// Limits of LRU caches.

/**
 * Returns the options of an `LRUCache` with at most `count` entries, whose sizes add up to at most `size`. Each entry counts as the
 * `count`th part of `size` at least. The option `max` would allocate room for all entries of an empty cache, which many servers never fill.
 */
export const cacheLimits = <Value>(
  count: number,
  size: number = count,
  sizeOf: (value: Value, key: string) => number = () => 1
): { readonly maxSize: number; readonly sizeCalculation: (value: Value, key: string) => number } => ({
  maxSize: size,
  sizeCalculation: (value, key) => Math.max(Math.ceil(size / count), sizeOf(value, key))
})
