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

test('no commit prunes many keys, and changes of others leave none behind that are old', t => {
  const space = newSpace()
  const removed = new RemovedKeys(() => space)
  const ROUNDS = 6
  let [index, most] = [0, 0]
  const commit = (change: (index: number) => void): void => {
    const before = space.pruned.length
    change(++index)
    most = Math.max(most, space.pruned.length - before)
  }
  for (let round = 0; round < ROUNDS; round++) {
    commit(at => {
      for (let n = 0; n < KEYS; n++) removed.add(space, `key-${round}-${n}`, commitAt(at, 16 * round))
    })
    for (let n = 0; n < KEYS / 64; n++) commit(at => removed.prune(at))
  }
  t.is(most, 1000)
  t.is(space.pruned.length, (ROUNDS - 1) * KEYS)
})

test('keys removed together are added at once as one after another', t => {
  const [space, other] = [newSpace(), newSpace()]
  const [atOnce, oneByOne] = [new RemovedKeys(() => space), new RemovedKeys(() => other)]
  for (let round = 0; round < 3; round++) {
    const keys = Array.from({ length: KEYS }, (_, n) => `key-${round}-${n}`)
    const commit = commitAt(round + 1, 16 * round)
    for (const key of keys) oneByOne.add(other, key, commit)
    atOnce.add(space, keys[0] ?? '', commit)
    atOnce.addRest(space, keys.slice(1))
    t.deepEqual(space.pruned, other.pruned)
    t.deepEqual([...atOnce.memory.save()], [...oneByOne.memory.save()])
  }
  t.is(space.pruned.length, 2000)
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
  for (const keys of [removed, restored]) keys.prune(3)
  t.is(other.pruned.length, 1000)
  for (const keys of [removed, restored]) keys.add(keys === removed ? space : other, 'later', commitAt(4, 17))
  t.deepEqual(space.pruned.slice(-other.pruned.length), other.pruned)
  t.deepEqual([...restored.memory.save()], [...removed.memory.save()])
})
