// The archive of a state alone: whatever happened last to a resource, its events can be replayed from nothing and make the same state.
import fc from 'fast-check'
import test from 'ava'
import { UnitOfWork } from '../../../actors/unit-of-work.js'
import { lifecycles } from '../../../actors/aggregates.js'
import { NewestEvents } from '../../../actors/snapshot/newest-events.js'
import { LOG_TOPICS } from '../../../actors/snapshot/restore-order.js'
import type { Commit, Event } from '../../../events/envelope.js'
import { withFilterKeys } from '../../../projections/filter-keys.js'
import { eventOf } from '../../../projections/projection.js'
import { Views } from '../../../projections/read-models.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { histories, perform } from '../arbitrary-histories.js'
import { runs } from '../../support/property-runs.js'

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'SaveState' }
const Time = '2026-01-01T00:00:00Z'

/** Replays commits as the proof of an archive does. @throws Error when an event is impossible where it is */
const replay = (commits: readonly Commit[]): { readonly views: Views; readonly last: NewestEvents } => {
  const views = new Views(settingsOfTests)
  const last = new NewestEvents(lifecycles)
  for (const [i, commit] of commits.entries()) {
    new UnitOfWork(lifecycles, views).takeAll(commit.Events)
    views.apply({ ...commit, Index: i + 1 })
    last.apply(commit)
  }
  return { views, last }
}

/** The commits of a log whose first ones are replaced by the facts of a base snapshot. */
const withBase = (commits: readonly Commit[], base: number): readonly Commit[] => {
  const views = new Views(settingsOfTests)
  for (const commit of commits.slice(0, base)) views.apply(commit)
  const facts = [...views.saved().parts()].flatMap(([part, rows]) =>
    part.includes('.') ? [] : [[...rows].map(row => withFilterKeys(eventOf(JSON.parse(JSON.stringify(row)))))]
  )
  return [
    ...facts.map((Events: readonly Event[]) => ({ Index: base, Time: '', By, Events })),
    ...commits.slice(base)
  ]
}

/** What an archive holds of each resource, but its type, which a restore may change. */
const contentOf = (views: Views): readonly string[] =>
  [...views.saved().parts()]
    .flatMap(([part, rows]) => (part.includes('.') ? [] : [...rows].map(row => JSON.stringify(row))))
    .map(row => {
      const { Topic, Key, Namespace, Partition, Payload } = JSON.parse(row)
      return LOG_TOPICS.has(Topic) ? '' : JSON.stringify({ Topic, Key, Namespace, Partition, Payload })
    })
    .filter(row => row !== '')
    .toSorted((a, b) => (a < b ? -1 : 1))

const differences = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const [a, b] = [new Set(one), new Set(other)]
  return [...one.filter(row => !b.has(row)), ...other.filter(row => !a.has(row))]
}

/** The same histories in every run; the event types below are the last ones of some of their resources. */
const EXAMPLES = 75
const examples = fc.sample(fc.tuple(histories, fc.nat(200)), { seed: 1, numRuns: EXAMPLES })

test('the state of any history restores, also of a log that begins with a base snapshot', t => {
  const types = new Set<string>()
  fc.assert(
    fc.property(histories, fc.nat(200), (history, at) => {
      const original = new Views(settingsOfTests)
      const commits = perform(original, history)
      const base = at % (commits.length + 1)
      const { last } = replay(base === 0 ? commits : withBase(commits, base))
      const events = last.inCreationOrder()
      for (const { Type } of events) types.add(Type)
      const restored = replay([{ Index: 1, Time, By, Events: events }])
      const again = replay(events.map((event, i) => ({ Index: i + 1, Time, By, Events: [event] })))
      const content = contentOf(original)
      t.deepEqual(differences(contentOf(restored.views), content), [])
      t.deepEqual(differences(contentOf(again.views), content), [])
    }),
    { numRuns: EXAMPLES + runs(75), examples }
  )
  for (const type of ['KVUnlock', 'CursorMoved', 'CursorSkipped', 'CheckStatusUpdate', 'NodeEvent'])
    t.true(types.has(type), type)
})
