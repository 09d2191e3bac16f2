// What a snapshot of the read models holds is all they know: from it and the rest of the log comes the state that a replay
// of the whole log makes.
import fc from 'fast-check'
import test from 'ava'
import type { Commit } from '../../events/envelope.js'
import { parseTime } from '../../events/time.js'
import { Views } from '../../projections/read-models.js'
import { histories, perform } from '../actors/arbitrary-histories.js'
import { settingsOfTests } from '../support/decision-spec.js'
import { queryResultsOf } from './query-results.js'
import { runs } from '../support/property-runs.js'

const replay = (views: Views, commits: readonly Commit[]): Views => {
  for (const commit of commits) views.apply(commit)
  return views
}

/** The state, taken down as text and read by other read models, some rows at a time. */
const copyOf = (views: Views): Views => {
  const copy = new Views(settingsOfTests)
  const state = copy.saved()
  for (const [name, rows] of views.saved().parts())
    for (const row of rows) state.load(name, JSON.stringify([row]))
  state.end(views.index)
  return copy
}

/** They follow from the rows of others, or from origins. */
const PARTS_WITHOUT_ROWS = ['chains', 'addresses', 'changeSets']
/** One with which 30 histories are enough. */
const SEED = 9

test('state by replay is state by a snapshot at any point and what came after it', t => {
  fc.assert(
    fc.property(histories, fc.nat(1000), (history, cut) => {
      const live = new Views(settingsOfTests)
      const commits = perform(live, history)
      const at = cut % (commits.length + 1)
      const before = replay(new Views(settingsOfTests), commits.slice(0, at))
      const copy = copyOf(before)
      t.deepEqual([...copy.dump()], [...before.dump()])
      replay(copy, commits.slice(at))
      t.deepEqual([...copy.dump()], [...live.dump()])
      const now = parseTime(commits.at(-1)?.Time ?? '') ?? 0
      t.deepEqual(queryResultsOf(copy, now), queryResultsOf(live, now))
    }),
    { numRuns: runs(100) }
  )
})

test('the histories of these tests make rows of every part', t => {
  const used = new Set<string>()
  for (const history of fc.sample(histories, { numRuns: 30, seed: SEED })) {
    const views = new Views(settingsOfTests)
    perform(views, history)
    for (const [name, rows] of views.saved().parts()) if ([...rows].length > 0) used.add(name)
  }
  const all = [...new Views(settingsOfTests).saved().parts()].map(([name]) => name)
  t.deepEqual(
    all.filter(name => !used.has(name)),
    PARTS_WITHOUT_ROWS
  )
})

test('every read model takes part in a snapshot', t => {
  const views = new Views(settingsOfTests)
  const names = new Set([...views.saved().parts()].map(([name]) => name))
  const projections = Object.entries(views).filter(
    ([, part]: readonly [string, unknown]) => typeof part === 'object' && part !== null && 'facts' in part
  )
  t.is(projections.length, 28)
  for (const [name] of projections) t.true(names.has(name), name)
})

test('loading a state with an unknown part fails', t => {
  const state = new Views(settingsOfTests).saved()
  t.throws(() => state.load('policies.colours', '[]'), { message: /no read model has a part/ })
  t.throws(() => state.load('unknown', '[]'), { message: /no read model has a part/ })
})
