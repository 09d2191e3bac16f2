import test from 'ava'
import fc from 'fast-check'
import { tokenDeleted } from '../../../../actors/token.js'
import { DEFAULT_TENANCY, type Event } from '../../../../events/envelope.js'
import { formatTime } from '../../../../events/time.js'
import { TokenListBytes } from '../../../../http/routes/acl/token-list-bytes.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { TokenUse } from '../../../../http/wire/token-use.js'
import type { BytePieces } from '../../../../projections/byte-pieces.js'
import { Views } from '../../../../projections/read-models.js'
import { policyFixture, tokenFixture, id } from '../../../actors/acl-resources.js'
import { settingsOfTests } from '../../../support/decision-spec.js'
import { runs } from '../../../support/property-runs.js'

const START = 1_700_000_000_000
const MINUTE = 60_000

/** Few tokens, whose secrets begin in few ways, so that the same runs are hit again and again. */
const number = fc.integer({ min: 0, max: 11 })
/** Two of them are erased. */
const secretOf = (i: number): string =>
  i === 9 || i === 10 ? '' : `${'xyz'.charAt(i % 3)}${i === 11 ? '' : `${'é1'.charAt(i % 2)}-${i}`}`

const put = fc.record({ n: number, minutes: fc.constantFrom(0, 0, 1, 3), text: fc.string({ maxLength: 3 }) })
const step = fc.oneof(
  put.map(one => ({ kind: 'put' as const, ...one })),
  number.map(n => ({ kind: 'delete' as const, n })),
  number.map(n => ({ kind: 'use' as const, n })),
  fc.constantFrom('a', 'b', '').map(name => ({ kind: 'rename' as const, name })),
  fc.integer({ min: -1, max: 2 }).map(minutes => ({ kind: 'wait' as const, minutes }))
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** A server's state as far as the list of tokens depends on it. */
class State {
  readonly views = new Views(settingsOfTests)
  readonly use = new TokenUse()
  now = START

  constructor() {
    this.#apply(policyFixture(id(100), 'first'))
  }

  take(one: Step): void {
    switch (one.kind) {
      case 'put': {
        const expiry =
          one.minutes === 0 ? {} : { ExpirationTime: formatTime(this.now + one.minutes * MINUTE) }
        const links = { Policies: [{ ID: id(100), Name: '' }] }
        this.#apply(tokenFixture(id(one.n), secretOf(one.n), { Description: one.text, ...expiry, ...links }))
        return
      }
      case 'delete': {
        const row = this.views.tokens.get(id(one.n))
        if (row) this.#apply(tokenDeleted(DEFAULT_TENANCY, row.token))
        return
      }
      case 'use':
        this.use.note(id(one.n), this.now)
        return
      case 'rename':
        this.#apply(policyFixture(id(100), one.name))
        return
      case 'wait':
        this.now += one.minutes * MINUTE
    }
  }

  list(bytes: TokenListBytes, isHidden: boolean): string {
    const { views, now } = this
    const rows = views.tokens.list(DEFAULT_TENANCY)
    const find = (accessor: string) => views.tokens.get(accessor)
    const version = String(views.tokens.indexOf(DEFAULT_TENANCY))
    const question = { space: 'default/default', find, rows, version, names: views }
    return runAtOnce(bytes.of({ ...question, isHidden, isNamespaceNamed: false, now })).toString()
  }

  /** The list made from nothing. */
  rebuiltList(isHidden: boolean): string {
    return this.list(new TokenListBytes(this.use), isHidden)
  }

  /** What the list shows, without the help of what is tested. */
  entries(isHidden: boolean): readonly unknown[] {
    const { views, use, now } = this
    return views.tokens
      .list(DEFAULT_TENANCY)
      .filter(row => row.isValid(now))
      .map(row => {
        const LastUsed = use.lastUsedText(row.token.AccessorID)
        const SecretID = isHidden ? '<hidden>' : row.secret
        return { ...row.toObject(views), SecretID, ...(LastUsed === undefined ? {} : { LastUsed }) }
      })
  }

  #apply(event: Event): void {
    const { views } = this
    const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
    views.apply({ Index: views.index + 1, Time: formatTime(this.now), By, Events: [event] })
  }
}

test('an incrementally updated list equals a rebuilt one', t => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 40 }), steps => {
      const state = new State()
      const bytes = new TokenListBytes(state.use)
      for (const [one, isHidden] of steps) {
        state.take(one)
        const text = state.list(bytes, isHidden)
        t.is(text, state.rebuiltList(isHidden))
        t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(state.entries(isHidden))))
      }
    }),
    { numRuns: runs(400) }
  )
})

test('an unchanged list is not rebuilt, and a returned list never changes', t => {
  const state = new State()
  const bytes = new TokenListBytes(state.use)
  for (let n = 0; n < 12; n++) state.take({ kind: 'put', n, minutes: n === 0 ? 1 : 0, text: '' })
  const { views } = state
  const of = (now: number): BytePieces =>
    runAtOnce(
      bytes.of({
        space: 's',
        find: accessor => views.tokens.get(accessor),
        rows: views.tokens.list(DEFAULT_TENANCY),
        version: String(views.tokens.indexOf(DEFAULT_TENANCY)),
        names: views,
        isHidden: true,
        isNamespaceNamed: false,
        now
      })
    )
  const first = of(START)
  const text = first.toString()
  t.is(of(START + MINUTE), first)
  const later = of(START + MINUTE + 1)
  t.not(later, first)
  t.is(JSON.parse(later.toString()).length, 11)
  t.is(first.toString(), text)
  t.is(JSON.parse(of(START).toString()).length, 12)
})

test('tokens whose secrets are erased stay in the list when one is used', t => {
  const state = new State()
  const bytes = new TokenListBytes(state.use)
  for (const n of [9, 10]) state.take({ kind: 'put', n, minutes: 0, text: '' })
  t.is(JSON.parse(state.list(bytes, true)).length, 2)
  state.take({ kind: 'use', n: 9 })
  t.is(JSON.parse(state.list(bytes, true)).length, 2)
})
