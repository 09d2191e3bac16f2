// Deletions of all keys below a prefix, applied at once and one after another.
import fc from 'fast-check'
import test from 'ava'
import { type Commit, type Event, NO_CALLER } from '../../../events/envelope.js'
import type { PreparedKeys } from '../../../projections/kv/detached-keys.js'
import { kvWatchKey } from '../../../projections/kv/kv.js'
import { Views } from '../../../projections/read-models.js'
import { runs } from '../../support/property-runs.js'

const TENANCY = { partition: 'default', namespace: 'default' }
const START = Date.UTC(2026, 0, 1)
const OPTIONS = {
  datacenter: 'dc1',
  isPrimary: true,
  aclEnabled: true,
  defaultPolicy: 'deny',
  tokenLife: { min: 0, max: 0 }
} as const

const key = fc
  .array(fc.constantFrom('a', 'b', '/', '\u{1f600}'), { minLength: 1, maxLength: 4 })
  .map(parts => parts.join(''))
const names = ['', 'a', 'b', 'a/', 'ab', 'aa', '/', 'ba']
const kinds = ['set', 'set', 'set', 'lock', 'delete', 'tree', 'tree', 'most'] as const
const step = fc.record({ kind: fc.constantFrom(...kinds), key, erased: fc.constant(false) })
const erasing = fc.record({ kind: fc.constantFrom(...kinds), key, erased: fc.boolean() })
/** Few, since only more deletions than waiters are applied at once. */
const awaited = fc.subarray(names, { maxLength: 2 })
const change = fc.record({
  awaited,
  steps: fc.array(step, { maxLength: 12 }),
  isOwned: fc.boolean(),
  minutes: fc.constantFrom(0, 0, 0, 5, 16)
})
const erasingChange = fc.record({
  awaited,
  steps: fc.array(erasing, { maxLength: 12 }),
  isOwned: fc.boolean(),
  minutes: fc.constantFrom(0, 0, 0, 5, 16)
})

const kvEvent = (Type: string, Key: string, index: number, erased = false): Event => ({
  Topic: 'KV',
  Type,
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  Payload: {
    KV: {
      Key,
      Value: null,
      Flags: 0,
      LockIndex: 0,
      CreateIndex: index,
      ModifyIndex: index,
      ...(Type === 'KVLock' ? { Session: 'session' } : {})
    }
  },
  ...(erased ? { Erased: true as const } : {})
})

/** Returns the events of a step on the keys that exist, which it changes. */
const eventsOf = (
  { kind, key: name, erased }: { kind: (typeof kinds)[number]; key: string; erased: boolean },
  live: Set<string>,
  index: number
): Event[] => {
  if (kind === 'set' || kind === 'lock') {
    live.add(name)
    return [kvEvent(kind === 'set' ? 'KVSet' : 'KVLock', name, index, erased)]
  }
  const below = [...live].filter(one => (kind === 'delete' ? one === name : one.startsWith(name[0] ?? '')))
  const sorted = below.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const deleted = kind === 'most' ? sorted.filter((_, i) => i !== 1) : sorted
  for (const one of deleted) live.delete(one)
  return deleted.map(one => kvEvent('KVDelete', one, index))
}

/** Waits for names and prefixes, and returns the set of those that are woken. */
const watched = (views: Views, waits: readonly string[]): Set<string> => {
  const woken = new Set<string>()
  for (const name of waits) {
    const watchKey = kvWatchKey(TENANCY, name)
    if (name !== '') views.watch.wait([watchKey], () => woken.add(`key ${name}`))
    views.watch.wait([{ prefix: watchKey }], () => woken.add(`prefix ${name}`))
  }
  return woken
}

/** Returns the deletions of trees among the events of a commit, whose keys come in small groups. */
const preparedOf = (steps: readonly (readonly Event[])[], kindOf: readonly string[]): PreparedKeys[] => {
  let from = 0
  return steps.flatMap((events, i) => {
    const keys = events.map(({ Key }) => Key)
    const groups = [keys.slice(0, 2), keys.slice(2, 3), keys.slice(3)].filter(group => group.length > 0)
    const prepared = kindOf[i] === 'tree' && keys.length > 0 ? [{ from, keys: groups }] : []
    from += keys.length
    return prepared
  })
}

const stateOf = ({ kv, changeSets }: Views): unknown => ({
  owned: [...changeSets.owned('owner')],
  facts: [...kv.facts()],
  size: kv.size,
  held: kv.heldBy(TENANCY, 'session').map(row => row.key),
  prefixes: [...kv.memory.prefixes.save()],
  removed: [...kv.memory.removed.save()],
  indexes: names.map(name => kv.indexUnder(TENANCY, name))
})

for (const [title, changes] of [
  ['deletions of a tree at once equal deletions of its keys one after another', change],
  ['deletions of a tree equal those of its keys after the erasure of versions', erasingChange]
] as const)
  test(title, t => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 10 }), commits => {
        const [prepared, atOnce, oneByOne] = [new Views(OPTIONS), new Views(OPTIONS), new Views(OPTIONS)]
        const live = new Set<string>()
        let at = START
        for (const [i, { awaited: waits, steps, isOwned, minutes }] of commits.entries()) {
          at += minutes * 60_000
          const eventsOfSteps = steps.map(one => eventsOf(one, live, i + 1))
          const Events = eventsOfSteps.flat()
          const trees = preparedOf(
            eventsOfSteps,
            steps.map(({ kind }) => kind)
          )
          const commit: Commit = {
            Index: i + 1,
            Time: new Date(at).toISOString(),
            By: isOwned ? { ...NO_CALLER, Owner: 'owner' } : NO_CALLER,
            Events
          }
          const [wokenPrepared, wokenAtOnce, woken] = [
            watched(prepared, waits),
            watched(atOnce, waits),
            watched(oneByOne, waits)
          ]
          prepared.apply(commit, trees)
          atOnce.apply(commit)
          oneByOne.applyHistorical(commit)
          for (const all of [wokenPrepared, wokenAtOnce])
            t.deepEqual([...all].toSorted(), [...woken].toSorted())
          for (const views of [prepared, atOnce, oneByOne]) views.watch.touchAll()
          for (const views of [prepared, atOnce]) t.deepEqual(stateOf(views), stateOf(oneByOne))
        }
      }),
      { numRuns: runs(500) }
    )
  })
