// Transactions whose operations on trees are prepared, while entries change.
import fc from 'fast-check'
import test from 'ava'
import { lifecycles } from '../../../actors/aggregates.js'
import {
  decideTransaction,
  type OperationInput,
  operationOf
} from '../../../actors/transaction/transaction.js'
import { prepareTrees } from '../../../actors/transaction/kv.js'
import { assertAllPossible } from '../../../actors/unit-of-work.js'
import { kvDeleted, kvEvent } from '../../../actors/kv-events.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import { runAtOnce } from '../../../projections/steps.js'
import { Views } from '../../../projections/read-models.js'
import { runs } from '../../support/property-runs.js'
import { command, settingsOfTests } from '../../support/decision-spec.js'

/** More than are deleted without preparation. */
const KEYS = 1100

const rights = {
  may: () => true,
  permits: () => true,
  denial: () => new Refusal('txn.denied', 'denied')
}

const set = (key: string, index: number) =>
  kvEvent('KVSet', DEFAULT_TENANCY, {
    Key: key,
    Value: null,
    Flags: 0,
    LockIndex: 0,
    CreateIndex: index,
    ModifyIndex: index
  })

const newViews = () => {
  const views = new Views(settingsOfTests)
  const commit = (Events: readonly Event[]): void => {
    const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
    views.apply({ Index: views.index + 1, Time: '2026-01-01T00:00:00Z', By, Events })
  }
  commit(Array.from({ length: KEYS }, (_, n) => set(`a/${n}`, 1)))
  const change = ({ verb, key }: { readonly verb: string; readonly key: string }): void => {
    const row = views.kv.get(DEFAULT_TENANCY, key)
    if (verb === 'set') commit([set(key, views.index + 1)])
    else if (row) commit([kvDeleted(row)])
  }
  return { views, commit, change }
}

const inputOf = (verb: string, key: string): OperationInput => ({
  kind: 'KV',
  input: { verb, key, tenancy: DEFAULT_TENANCY, value: null, flags: '0', index: 0n, session: '' }
})

const key = fc.constantFrom('a/1', 'a/10', 'a/5000', 'a', 'b/1')
const operation = fc.oneof(
  fc.record({ verb: fc.constantFrom('set', 'delete', 'get-or-empty', 'cas'), key }),
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constantFrom('delete-tree', 'get-tree'),
      key: fc.constantFrom('a/', 'a/1', '', 'b/')
    })
  }
)

test('a transaction with prepared trees decides as one without, whatever has changed since', t => {
  let prepared = 0
  fc.assert(
    fc.property(
      fc.array(operation, { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ verb: fc.constantFrom('set', 'delete', 'step', 'step'), key }), { maxLength: 20 }),
      (drawn, changes) => {
        const { views, commit, change } = newViews()
        const inputs = drawn.map(one => inputOf(one.verb, one.key))
        const operations = inputs.map(operationOf)
        const steps = prepareTrees(operations, views.kv, rights)
        for (const one of changes)
          if (one.verb === 'step') steps?.next()
          else change(one)
        if (steps) runAtOnce(steps)
        for (const one of changes.slice(0, 3)) if (one.verb !== 'step') change(one)
        const outcomeOf = (chosen: typeof operations) => {
          try {
            const asked = command('ApplyTransaction', { operations: chosen, rights })
            return { refusal: '', ...decideTransaction(asked, views, views.index + 1) }
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            return { refusal: error.message, events: [], removals: [], results: [] }
          }
        }
        const direct = outcomeOf(inputs.map(operationOf))
        const results = direct.results.flatMap(each => [...each])
        const outcome = outcomeOf(operations)
        prepared += outcome.removals.length
        t.is(outcome.refusal, direct.refusal)
        t.deepEqual(outcome.events, direct.events)
        t.notThrows(() => assertAllPossible(lifecycles, views, outcome.events, outcome.removals))
        t.notThrows(() => assertAllPossible(lifecycles, views, outcome.events))
        if (outcome.events.length > 0) commit(outcome.events)
        for (const one of changes) if (one.verb !== 'step') change(one)
        t.deepEqual(
          outcome.results.flatMap(each => [...each]),
          results
        )
      }
    ),
    { numRuns: runs(400) }
  )
  t.true(prepared > 0)
})

test('only reads and permitted deletions of many keys are prepared', t => {
  const { views } = newViews()
  const preparation = (verb: string, prefix: string, permits = true) =>
    prepareTrees([operationOf(inputOf(verb, prefix))], views.kv, { ...rights, permits: () => permits })
  t.not(preparation('delete-tree', 'a/'), undefined)
  t.is(preparation('delete-tree', 'a/1'), undefined)
  t.not(preparation('get-tree', 'a/'), undefined)
  t.is(preparation('get-tree', 'a/1'), undefined)
  t.is(preparation('delete-tree', 'a/', false), undefined)
})
