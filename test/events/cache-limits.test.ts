import test from 'ava'
import { LRUCache } from 'lru-cache'
import { cacheLimits } from '../../events/cache-limits.js'

const filled = (
  cache: LRUCache<string, string>,
  ...values: readonly string[]
): readonly (string | undefined)[] => {
  for (const value of values) cache.set(value, value)
  return [...cache.keys()].toReversed()
}

test('a cache has at most so many entries', t => {
  const cache = new LRUCache<string, string>(cacheLimits(3))
  t.deepEqual(filled(cache, 'one', 'two', 'three', 'four'), ['two', 'three', 'four'])
})

test('a cache has at most so many entries, and less when they are large', t => {
  const limits = (): LRUCache<string, string> =>
    new LRUCache<string, string>(cacheLimits(3, 30, value => value.length))
  t.deepEqual(filled(limits(), 'a', 'b', 'c', 'd'), ['b', 'c', 'd'])
  const large = 'e'.repeat(20)
  t.deepEqual(filled(limits(), 'a', 'b', 'c', large), ['c', large])
  t.deepEqual(filled(limits(), 'a', 'f'.repeat(31)), ['a'])
})
