// Removed keys are pruned 15 minutes later, not too many by one commit.
import test from 'ava'
import { type Commit, NO_CALLER } from '../../../events/envelope.js'
import { RemovedKeys } from '../../../projections/kv/removed-keys.js'

const KEYS = 2500
const START = Date.UTC(2026, 0, 1)

const commitAt = (Index: number, minutes: number): Commit => ({
  Index,
  Time: new Date(START + minutes * 60_000).toISOString(),
  By: NO_CALLER,
  Events: []
})

const newSpace = () => {
  const pruned: string[] = []
  return { name: 'default/default', pruned, prune: (key: string) => void pruned.push(key) }
}

test('keys that were removed at once are pruned by several commits, in order', t => {
  const space = newSpace()
  const removed = new RemovedKeys(() => space)
  const keys = Array.from({ length: KEYS }, (_, n) => `key-${n}`)
  for (const key of keys) removed.add(space, key, commitAt(1, 0))
  removed.add(space, 'soon', commitAt(2, 14))
  t.deepEqual(space.pruned, [])
  const counts = [16, 17, 18, 19].map((minutes, i) => {
    removed.add(space, `late-${i}`, commitAt(3 + i, minutes))
    return space.pruned.length
  })
  t.deepEqual(counts, [1000, 2000, KEYS, KEYS])
  t.deepEqual(space.pruned, keys)
})

test('commits that remove many keys again and again leave none behind that are old', t => {
  const space = newSpace()
  const removed = new RemovedKeys(() => space)
  for (let round = 0; round < 6; round++)
    for (let n = 0; n < KEYS; n++) removed.add(space, `key-${round}-${n}`, commitAt(round + 1, 16 * round))
  t.is(space.pruned.length, 5 * KEYS)
})

test('saved keys continue where they were', t => {
  const [space, other] = [newSpace(), newSpace()]
  const removed = new RemovedKeys(() => space)
  for (let n = 0; n < KEYS; n++) removed.add(space, `key-${n}`, commitAt(1, 0))
  removed.add(space, 'late', commitAt(2, 16))
  const restored = new RemovedKeys(() => other)
  restored.memory.load(JSON.stringify([...removed.memory.save()]))
  t.deepEqual([...restored.memory.save()], [...removed.memory.save()])
  t.is([...removed.memory.save()].length, KEYS + 1 - space.pruned.length)
  for (const keys of [removed, restored]) keys.add(keys === removed ? space : other, 'later', commitAt(3, 17))
  t.deepEqual(space.pruned.slice(-other.pruned.length), other.pruned)
  t.deepEqual([...restored.memory.save()], [...removed.memory.save()])
})
