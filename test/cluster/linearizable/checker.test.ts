// The search for an order, against histories that are known to have one or none, and against a search through all orders.
import test from 'ava'
import fc from 'fast-check'
import { linearizable, type Model, type Operation } from './checker.js'
import { keysModel, type Act } from './keys-model.js'

const at = (asked: number, answered: number, what: Act): Operation<Act> => ({ asked, answered, what })
const read = (value?: string, key = 'a'): Act => ({
  kind: 'read',
  key,
  found: value === undefined ? undefined : { value, holder: undefined }
})
const set = (value: string, key = 'a'): Act => ({ kind: 'set', key, value })
const cas = (expected: string | undefined, value: string, done?: boolean): Act => ({
  kind: 'cas',
  key: 'a',
  expected,
  value,
  done
})

const histories: readonly (readonly [string, 'yes' | 'no', readonly Operation<Act>[]])[] = [
  ['nothing', 'yes', []],
  ['a read behind a write', 'yes', [at(0, 1, set('x')), at(2, 3, read('x'))]],
  ['a read that is too old', 'no', [at(0, 1, set('x')), at(2, 3, read())]],
  ['a read beside a write, old', 'yes', [at(0, 3, set('x')), at(1, 2, read())]],
  [
    'a read beside a write that is older than another one before it',
    'no',
    [at(0, 9, set('x')), at(1, 2, read('x')), at(3, 4, read())]
  ],
  [
    'two writers that both received the answer for the first one',
    'no',
    [at(0, 3, cas(undefined, 'x', true)), at(1, 4, cas(undefined, 'y', true))]
  ],
  [
    'two writers of whom one was refused',
    'yes',
    [at(0, 3, cas(undefined, 'x', true)), at(1, 4, cas(undefined, 'y', false))]
  ],
  ['a writer that was refused for nothing', 'no', [at(0, 1, set('x')), at(2, 3, cas('x', 'y', false))]],
  [
    'a write with unknown outcome, seen late',
    'yes',
    [at(0, Infinity, set('x')), at(5, 6, read()), at(7, 8, read('x'))]
  ],
  [
    'a write with unknown outcome, seen and gone',
    'no',
    [at(0, Infinity, set('x')), at(5, 6, read('x')), at(7, 8, read())]
  ],
  [
    'a write with unknown outcome, done twice',
    'no',
    [at(0, Infinity, set('x')), at(5, 6, read('x')), at(7, 8, set('y')), at(9, 10, read('x'))]
  ],
  [
    'half a transaction',
    'no',
    [
      at(0, 1, {
        kind: 'transaction',
        done: true,
        writes: [
          { key: 'a', expected: undefined, value: 'x' },
          { key: 'b', expected: undefined, value: 'y' }
        ]
      }),
      at(2, 3, read('x')),
      at(4, 5, read(undefined, 'b'))
    ]
  ],
  [
    'two holders of a lock',
    'no',
    [
      at(0, 1, { kind: 'acquire', key: 'a', session: 's', value: 'x', done: true }),
      at(2, 3, { kind: 'acquire', key: 'a', session: 'r', value: 'y', done: true })
    ]
  ],
  [
    'a lock that is handed over',
    'yes',
    [
      at(0, 1, { kind: 'acquire', key: 'a', session: 's', value: 'x', done: true }),
      at(0, 5, { kind: 'acquire', key: 'a', session: 'r', value: 'y', done: true }),
      at(2, 3, { kind: 'release', key: 'a', session: 's', value: 'z', done: true })
    ]
  ]
]

for (const [title, expected, history] of histories)
  test(`${title}: ${expected === 'yes' ? 'there is an order' : 'there is no order'}`, t => {
    t.is(linearizable(keysModel, history).kind, expected)
  })

/** A register that tells its value, so small that many histories have an order. */
interface RegisterAct {
  readonly kind: 'read' | 'write'
  readonly value: number
}
const register: Model<number, RegisterAct> = {
  initial: 0,
  step: (state, { kind, value }) => (kind === 'write' ? value : state === value ? state : undefined),
  changesNothing: ({ kind }) => kind === 'read',
  textOf: String
}

/** Tries every order. */
const triesAll = (left: readonly Operation<RegisterAct>[], state: number): boolean => {
  if (left.every(({ answered }) => answered === Infinity)) return true
  const soonest = Math.min(...left.map(({ answered }) => answered))
  return left.some(operation => {
    if (operation.asked > soonest) return false
    const next = register.step(state, operation.what)
    return (
      next !== undefined &&
      triesAll(
        left.filter(other => other !== operation),
        next
      )
    )
  })
}

const operation = fc
  .record({
    asked: fc.integer({ min: 0, max: 12 }),
    takes: fc.integer({ min: 0, max: 8 }),
    isKnown: fc.boolean(),
    what: fc.record({ kind: fc.constantFrom('read', 'write'), value: fc.integer({ min: 0, max: 2 }) })
  })
  .map(({ asked, takes, isKnown, what }): Operation<RegisterAct> => {
    const answered = isKnown || what.kind === 'read' ? asked + takes : Infinity
    return { asked, answered, what: { kind: what.kind === 'read' ? 'read' : 'write', value: what.value } }
  })

test('finds an order where a search through all orders does, and only there', t => {
  const verdicts = { yes: 0, no: 0 }
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), operations => {
      const expected = triesAll(operations, 0) ? 'yes' : 'no'
      verdicts[expected]++
      return linearizable(register, operations).kind === expected
    }),
    { numRuns: 3000 }
  )
  t.true(verdicts.yes > 100 && verdicts.no > 100, JSON.stringify(verdicts))
})

test('reports that it gave up when its steps are exhausted', t => {
  t.is(linearizable(keysModel, [at(0, 1, set('x')), at(2, 3, read('x'))], 1).kind, 'undecided')
})
