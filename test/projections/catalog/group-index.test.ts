// The index of a service group identifies its content: responses are cached by it.
import fc from 'fast-check'
import test from 'ava'
import type { ServiceInstances } from '../../../projections/catalog/services-by-namespace.js'
import { Views } from '../../../projections/read-models.js'
import { histories, perform } from '../../actors/arbitrary-histories.js'
import { SPACES } from '../../actors/arbitrary-moves.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { runs } from '../../support/property-runs.js'

/** The groups of all namespaces of the histories. */
const groupsOf = (views: Views): readonly ServiceInstances[] =>
  SPACES.flatMap(space => {
    const { byName, byConnect } = views.catalog.space(space)
    return [...byName.all(), ...byConnect.all()]
  })

const contentOf = (group: ServiceInstances): string =>
  group.rows.map(row => `${row.healthJsonFor(() => true)}${row.healthJsonFor(() => false)}`).join('\n')

test('instances, nodes and checks of a group never change without its index', t => {
  let changes = 0
  fc.assert(
    fc.property(histories, history => {
      const commits = perform(new Views(settingsOfTests), history)
      const views = new Views(settingsOfTests)
      const known = new WeakMap<ServiceInstances, { readonly index: number; readonly content: string }>()
      for (const commit of commits) {
        views.apply(commit)
        for (const group of groupsOf(views)) {
          const [before, content] = [known.get(group), contentOf(group)]
          if (before?.index === group.index) t.is(content, before.content)
          else if (before) changes++
          known.set(group, { index: group.index, content })
        }
      }
    }),
    { numRuns: runs(100) }
  )
  t.true(changes > 0)
})
