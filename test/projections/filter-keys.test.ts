// The facts of a base become the events that they were.
import fc from 'fast-check'
import test from 'ava'
import { withFilterKeys } from '../../projections/filter-keys.js'
import { Views } from '../../projections/read-models.js'
import { settingsOfTests } from '../support/decision-spec.js'
import { histories, perform } from '../actors/arbitrary-histories.js'

test('the filter keys of every event are found from its payload', t => {
  fc.assert(
    fc.property(histories, history => {
      for (const { Events } of perform(new Views(settingsOfTests), history))
        for (const event of Events)
          t.deepEqual(withFilterKeys({ ...event, FilterKeys: null }).FilterKeys, event.FilterKeys, event.Type)
    }),
    { numRuns: 30 }
  )
})
