// Each instance is replaced once per commit, whatever changes on its node.
import fc from 'fast-check'
import test from 'ava'
import { type Commit, DEFAULT_TENANCY, type Event, NO_CALLER } from '../../../events/envelope.js'
import { HostChanges } from '../../../projections/catalog/host-changes.js'
import { Views } from '../../../projections/read-models.js'
import { histories, perform as performHistory } from '../../actors/arbitrary-histories.js'
import { SPACES } from '../../actors/arbitrary-moves.js'
import { checkInput, deregister, nodeInput, perform, register, serviceInput } from '../../support/catalog.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { runs } from '../../support/property-runs.js'

const SERVICES = 5
const CHECKS = 7
const names = Array.from({ length: SERVICES }, (_, n) => `web-${n}`)
const ownChecks = Array.from({ length: CHECKS }, (_, n) => checkInput('a', `own-${n}`))

const commitOf = (Events: readonly Event[], Index: number): Commit => ({
  Index,
  Time: '2026-01-01T00:00:00Z',
  By: NO_CALLER,
  Events
})

const withServices = (): Views => {
  const views = new Views(settingsOfTests)
  for (const name of names) perform(views, register(nodeInput('a'), { service: serviceInput(name) }))
  return views
}

/** Counts how often the instances of each name change while `run` is executed. */
const changesOf = (views: Views, run: () => void): readonly number[] => {
  const touched: string[] = []
  // Without a waiter no name is touched.
  const cancel = views.watch.wait(['any'], () => {})
  views.watch.touch = name => void touched.push(name)
  run()
  cancel()
  return names.map(name => touched.filter(key => key === `service/default/default/${name}`).length)
}

const once = names.map(() => 1)

test('a registration of many checks of a node changes each instance once', t => {
  const views = withServices()
  t.deepEqual(
    changesOf(views, () => void perform(views, register(nodeInput('a'), { checks: ownChecks }))),
    once
  )
  const [row] = views.catalog.space(DEFAULT_TENANCY).byName.get('web-0')?.rows ?? []
  t.deepEqual(
    row?.allChecks.map(({ state }) => state.check.CheckID),
    ownChecks.map(({ CheckID }) => CheckID)
  )
})

test('the removal of a node with checks of its own changes each instance once', t => {
  const views = withServices()
  perform(views, register(nodeInput('a'), { checks: ownChecks }))
  t.deepEqual(
    changesOf(views, () => void perform(views, deregister('a'))),
    once
  )
  t.is(views.catalog.changes.size, 0)
})

/** Returns the services whose checks are collected while `run` is executed; '' for nodes. */
const collectedBy = (run: () => void): readonly string[] => {
  const original = Object.getOwnPropertyDescriptor(HostChanges.prototype, 'checksOf')
  if (!original) throw new Error('the changes of a host collect no checks')
  const collected: string[] = []
  Object.defineProperty(HostChanges.prototype, 'checksOf', {
    ...original,
    value: (service: string) => (collected.push(service), [])
  })
  try {
    run()
  } finally {
    Object.defineProperty(HostChanges.prototype, 'checksOf', original)
  }
  return collected
}

test('the removal of a node collects no checks of it', t => {
  const views = withServices()
  perform(views, register(nodeInput('a'), { checks: ownChecks }))
  t.deepEqual(
    collectedBy(() => void perform(views, deregister('a'))),
    []
  )
  t.deepEqual(
    collectedBy(() => void perform(views, register(nodeInput('a')))),
    ['']
  )
})

test('without waiters the catalog touches no watch key', t => {
  const views = withServices()
  let touches = 0
  views.watch.touch = () => void touches++
  perform(views, register(nodeInput('a'), { checks: ownChecks }), deregister('a'))
  t.is(touches, 0)
  views.watch.wait(['any'], () => {})
  perform(views, register(nodeInput('a')))
  t.is(touches, 2)
})

test('a change of one check of an instance changes no other instance', t => {
  const views = withServices()
  const checks = [checkInput('a', 'alive', { ServiceID: 'web-1' })]
  t.deepEqual(
    changesOf(views, () => void perform(views, register(nodeInput('a'), { checks }))),
    names.map(name => (name === 'web-1' ? 1 : 0))
  )
})

test('the facts of a page change each instance at most twice: at its creation and after the page', t => {
  const views = withServices()
  perform(views, register(nodeInput('a'), { checks: ownChecks }))
  const facts = JSON.stringify([...views.catalog.facts()])
  const copy = new Views(settingsOfTests)
  t.deepEqual(
    changesOf(copy, () => copy.saved().load('catalog', facts)),
    names.map(() => 2)
  )
})

/** The texts and the health of all instances. */
const instancesOf = ({ catalog }: Views): unknown =>
  SPACES.flatMap(space => {
    const { byName, byConnect } = catalog.space(space)
    return [...byName.all(), ...byConnect.all()].map(({ rows }) =>
      rows.map(row => [row.healthJsonFor(() => true), row.flatJson, row.isPassing])
    )
  })

test('events in one commit give the same instances as each in a commit of its own', t => {
  fc.assert(
    fc.property(histories, history => {
      const events = performHistory(new Views(settingsOfTests), history).flatMap(({ Events }) => Events)
      const [together, apart] = [new Views(settingsOfTests), new Views(settingsOfTests)]
      together.apply(commitOf(events, 1))
      for (const [n, event] of events.entries()) apart.apply(commitOf([event], n + 1))
      t.deepEqual(instancesOf(together), instancesOf(apart))
    }),
    { numRuns: runs(100) }
  )
})
