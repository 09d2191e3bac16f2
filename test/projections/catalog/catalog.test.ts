import fc from 'fast-check'
import test from 'ava'
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { DEFAULT_TENANCY, type Commit } from '../../../events/envelope.js'
import { CatalogDraft } from '../../../projections/catalog/draft.js'
import { Views } from '../../../projections/views.js'
import { checkDraft, deregister, nodeDraft, perform, register, serviceDraft } from '../../support/catalog.js'
import { settingsOfTests } from '../../support/given.js'

const node = fc.constantFrom('a', 'B', 'b', 'c')
const service = fc.constantFrom('web', 'Web', 'db')
const status = fc.constantFrom('passing', 'warning', 'critical')

const commands: fc.Arbitrary<CatalogCommand> = fc.oneof(
  fc.record({ node, service, status, id: fc.constantFrom('web', '1'), port: fc.nat(2) }).map(given =>
    register(nodeDraft(given.node), {
      service: serviceDraft(given.service, { ID: given.id, Port: given.port }),
      checks: [
        checkDraft(given.node, `of-${given.id}`, { ServiceID: given.id, Status: given.status }),
        checkDraft(given.node, 'own', { Status: given.status })
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

test('a draft with the events of a command folded in reads as the catalog after its commit', t => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 15 }), commands, (history, last) => {
      const before = new Views(settingsOfTests)
      const after = new Views(settingsOfTests)
      perform(before, ...history)
      perform(after, ...history)
      const draft = new CatalogDraft(before.catalog)
      for (const event of perform(after, last)) draft.fold(event)
      for (const name of ['a', 'b', 'c']) {
        t.deepEqual(draft.node('default', name), after.catalog.node('default', name))
        t.deepEqual(draft.servicesOn('default', name), after.catalog.servicesOn('default', name))
        t.deepEqual(draft.checksOn('default', name), after.catalog.checksOn('default', name))
      }
    }),
    { numRuns: 100 }
  )
})

test('the index of a name moves with its instances, their nodes and checks, and with nothing else', t => {
  const views = new Views(settingsOfTests)
  perform(
    views,
    register(nodeDraft('a'), { service: serviceDraft('web') }),
    register(nodeDraft('b'), { service: serviceDraft('db') })
  )
  const { catalog } = views
  const web = () => catalog.serviceIndex(DEFAULT_TENANCY, 'name', 'WEB')
  t.is(web(), 1)
  perform(views, register(nodeDraft('b', { Address: '10.0.0.7' })))
  t.is(web(), 1)
  perform(views, register(nodeDraft('a', { Address: '10.0.0.7' })))
  t.is(web(), 4)
  perform(views, register(nodeDraft('b'), { checks: [checkDraft('b', 'own')] }))
  t.is(web(), 4)
  perform(views, register(nodeDraft('a', { Address: '10.0.0.7' }), { checks: [checkDraft('a', 'own')] }))
  t.is(web(), 6)
  perform(views, deregister('a', { serviceId: 'web' }))
  t.is(web(), 7)
})
