import fc from 'fast-check'
import test from 'ava'
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY, type Commit, type Event } from '../../../events/envelope.js'
import type { CatalogReader } from '../../../projections/catalog/reader.js'
import { Views } from '../../../projections/read-models.js'
import { checkInput, deregister, nodeInput, perform, register, serviceInput } from '../../support/catalog.js'
import { settingsOfTests } from '../../support/decision-spec.js'

const node = fc.constantFrom('a', 'B', 'b', 'c')
const service = fc.constantFrom('web', 'Web', 'db')
const status = fc.constantFrom('passing', 'warning', 'critical')

const commands: fc.Arbitrary<CatalogCommand> = fc.oneof(
  fc.record({ node, service, status, id: fc.constantFrom('web', '1'), port: fc.nat(2) }).map(given =>
    register(nodeInput(given.node), {
      service: serviceInput(given.service, { ID: given.id, Port: given.port }),
      checks: [
        checkInput(given.node, `of-${given.id}`, { ServiceID: given.id, Status: given.status }),
        checkInput(given.node, 'own', { Status: given.status })
      ]
    })
  ),
  node.map(name => deregister(name)),
  fc
    .record({ node, id: fc.constantFrom('web', '1') })
    .map(({ node: name, id }) => deregister(name, { serviceId: id })),
  node.map(name => deregister(name, { checkId: 'own' }))
)

test('replaying the events of a random history gives the same state, texts and indexes', t => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 30 }), history => {
      const views = new Views(settingsOfTests)
      const again = new Views(settingsOfTests)
      for (const asked of history) {
        const Events = perform(views, asked)
        if (Events.length === 0) continue
        const By = { AccessorID: '', Address: '', RequestID: '', Command: '' }
        const commit: Commit = { Index: again.index + 1, Time: views.time, By, Events }
        again.apply(JSON.parse(JSON.stringify(commit)))
      }
      t.deepEqual([...again.dump()], [...views.dump()])
    }),
    { numRuns: 100 }
  )
})

test('the ready texts of a service are always those of its node, its state and the checks that count for it', t => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 30 }), history => {
      const views = new Views(settingsOfTests)
      for (const asked of history) {
        perform(views, asked)
        for (const name of ['web', 'db'])
          for (const row of views.catalog.space(DEFAULT_TENANCY).byName.get(name)?.rows ?? []) {
            const checks = views.catalog
              .checksOn('default', row.host.name)
              .filter(({ check }) => check.ServiceID === '' || check.ServiceID === row.state.service.ID)
            const shown: { readonly Checks: readonly { readonly CheckID: string }[] } = JSON.parse(
              row.healthJson
            )
            t.deepEqual(
              shown.Checks.map(({ CheckID }) => CheckID).toSorted(),
              checks.map(({ check }) => check.CheckID).toSorted()
            )
            t.is(
              row.isPassing,
              checks.every(({ check }) => check.Status === 'passing')
            )
            t.true(row.state === views.catalog.service(DEFAULT_TENANCY, row.host.name, row.state.service.ID))
          }
      }
    }),
    { numRuns: 50 }
  )
})

const IDS = [1, 2].map(n => `00000000-0000-4000-8000-00000000000${n}`)

/** As `commands`, and nodes that take IDs or give them to others. */
const withIds = fc.oneof(
  { weight: 2, arbitrary: commands },
  {
    weight: 1,
    arbitrary: fc
      .record({ node, id: fc.constantFrom(...IDS) })
      .map(given => register(nodeInput(given.node, { ID: given.id })))
  }
)

/** Those of the commands that are not refused. */
const performThose = (views: Views, history: readonly CatalogCommand[]): readonly Event[] =>
  history.flatMap(asked => {
    try {
      return perform(views, asked)
    } catch (error) {
      if (error instanceof Refusal) return []
      throw error
    }
  })

const seen = (catalog: CatalogReader): unknown => [
  IDS.map(id => catalog.nodeById(id)),
  ['a', 'B', 'c'].map(name => [
    catalog.node('default', name),
    catalog.servicesOn('default', name),
    catalog.checksOn('default', name),
    catalog.ownChecks('default', name),
    ['web', '1', 'other'].map(id => catalog.checksOf(DEFAULT_TENANCY, name, id)),
    ['web', '1'].map(id => catalog.service(DEFAULT_TENANCY, name, id)),
    ['own', 'of-web'].map(id => catalog.check(DEFAULT_TENANCY, name, id))
  ])
]

test('the numbers and lists of checks are those of all checks on the node', t => {
  fc.assert(
    fc.property(fc.array(withIds, { maxLength: 15 }), history => {
      const views = new Views(settingsOfTests)
      performThose(views, history)
      const { catalog } = views
      for (const name of ['a', 'B', 'c']) {
        const checks = catalog.checksOn('default', name)
        const own = checks.filter(({ check }) => check.ServiceID === '')
        const critical = own.filter(({ check }) => check.Status === 'critical')
        t.deepEqual(catalog.ownChecks('default', name), { all: own.length, critical: critical.length })
        for (const id of ['web', '1'])
          t.deepEqual(
            catalog.checksOf(DEFAULT_TENANCY, name, id.toUpperCase()),
            checks.filter(({ check }) => check.ServiceID === id)
          )
      }
    }),
    { numRuns: 100 }
  )
})

/** An overlay on a catalog, and views with the same history. */
const withHistory = (history: Parameters<typeof performThose>[1]) => {
  const [before, after] = [new Views(settingsOfTests), new Views(settingsOfTests)]
  for (const views of [before, after]) performThose(views, history)
  return { overlay: before.catalog.overlay(), after }
}

test('an overlay with the events of commands reads as the catalog after their commits', t => {
  fc.assert(
    fc.property(fc.array(withIds, { maxLength: 15 }), withIds, withIds, (history, ...last) => {
      const { overlay, after } = withHistory(history)
      for (const event of performThose(after, last)) overlay.apply(event)
      t.deepEqual(seen(overlay), seen(after.catalog))
    }),
    { numRuns: 100 }
  )
})

test('an overlay removes all services and checks of a node at once, as their events do', t => {
  const moves = fc.array(withIds, { maxLength: 15 })
  fc.assert(
    fc.property(moves, moves, fc.constantFrom('a', 'b', 'C'), moves, (history, first, name, last) => {
      const { overlay, after } = withHistory(history)
      for (const event of performThose(after, first)) overlay.apply(event)
      const removal = performThose(after, [deregister(name)]).at(-1)
      if (removal) {
        overlay.removeAllOn('default', name)
        overlay.apply(removal)
      }
      t.deepEqual(seen(overlay), seen(after.catalog))
      for (const event of performThose(after, last)) overlay.apply(event)
      t.deepEqual(seen(overlay), seen(after.catalog))
    }),
    { numRuns: 100 }
  )
})

test('the index of a name moves with its instances, their nodes and checks, and with nothing else', t => {
  const views = new Views(settingsOfTests)
  perform(
    views,
    register(nodeInput('a'), { service: serviceInput('web') }),
    register(nodeInput('b'), { service: serviceInput('db') })
  )
  const { catalog } = views
  const web = () => catalog.serviceIndex(DEFAULT_TENANCY, 'name', 'WEB')
  t.is(web(), 1)
  perform(views, register(nodeInput('b', { Address: '10.0.0.7' })))
  t.is(web(), 1)
  perform(views, register(nodeInput('a', { Address: '10.0.0.7' })))
  t.is(web(), 4)
  perform(views, register(nodeInput('b'), { checks: [checkInput('b', 'own')] }))
  t.is(web(), 4)
  perform(views, register(nodeInput('a', { Address: '10.0.0.7' }), { checks: [checkInput('a', 'own')] }))
  t.is(web(), 6)
  perform(views, deregister('a', { serviceId: 'web' }))
  t.is(web(), 7)
})

test('slashes in the names of nodes and the IDs of checks do not make one check of two', t => {
  const views = new Views(settingsOfTests)
  const named = [
    ['a', 'default/up'],
    ['a/default', 'up']
  ] as const
  for (const [name, id] of named)
    perform(views, register(nodeInput(name), { checks: [checkInput(name, id)] }))
  t.is(views.catalog.checksInState(DEFAULT_TENANCY, 'passing').size, 2)
  perform(views, deregister('a', { checkId: 'default/up' }))
  t.deepEqual(
    [...views.catalog.checksInState(DEFAULT_TENANCY, 'passing')].map(row => row.host.name),
    ['a/default']
  )
})
