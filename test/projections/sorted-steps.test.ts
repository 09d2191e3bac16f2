import test from 'ava'
import fc from 'fast-check'
import { sortedByText, sortedInSteps } from '../../projections/sorted-steps.js'
import { runAtOnce } from '../../projections/steps.js'

interface Row {
  readonly key: number
  readonly at: number
}

const rows = fc
  .array(fc.integer({ min: 0, max: 300 }), { maxLength: 3000, size: 'max' })
  .map(keys => keys.map((key, at): Row => ({ key, at })))

test('rows are sorted in steps like toSorted sorts them, rows of the same order included', t => {
  const compare = (a: Row, b: Row): number => a.key - b.key
  fc.assert(
    fc.property(rows, list => {
      t.deepEqual(runAtOnce(sortedInSteps(list, compare)), list.toSorted(compare))
    }),
    { numRuns: 30 }
  )
})

test('a long sort yields often', t => {
  const list = Array.from({ length: 100_000 }, (_, i) => ({ key: (i * 7919) % 100_000, at: i }))
  const steps = sortedByText(list, ({ key }) => String(key).padStart(6, '0'))
  let count = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      t.deepEqual(
        step.value.map(({ key }) => key),
        list.map((_, i) => i)
      )
      break
    }
    count++
  }
  t.true(count > 100_000 / 64)
})
