// Specifications of decisions: given events, when a command is executed, then events or a refusal follow.
import type { Assertions } from 'ava'
import { UnitOfWork } from '../../actors/unit-of-work.js'
import { type Aggregate, type Command, type Decision, eventsOf } from '../../actors/aggregate.js'
import { lifecycles } from '../../actors/aggregates.js'
import { Refusal } from '../../actors/refusal.js'
import type { RefusalCode } from '../../actors/refusal-codes.js'
import { DEFAULT_TENANCY, type Event, type Tenancy } from '../../events/envelope.js'
import { Views, type ViewOptions } from '../../projections/read-models.js'

/** The time of every command in these tests: 2026-01-01T00:00:00Z, epoch milliseconds. */
export const COMMAND_TIME = Date.UTC(2026, 0, 1)
const MINUTE_NS = 60e9

export const settingsOfTests: ViewOptions = {
  datacenter: 'dc1',
  isPrimary: true,
  aclEnabled: true,
  defaultPolicy: 'deny',
  tokenLife: { min: MINUTE_NS, max: 24 * 60 * MINUTE_NS }
}

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }

/** Returns the read models after these events, each in a commit of its own. */
export const viewsAfter = (events: readonly Event[], settings = settingsOfTests): Views => {
  const views = new Views(settings)
  for (const event of events)
    views.apply({ Index: views.index + 1, Time: '2026-01-01T00:00:00Z', By, Events: [event] })
  return views
}

interface CommandParts {
  /** Accessor of the caller's token. */
  readonly caller?: string
  readonly at?: number
  readonly tenancy?: Tenancy
}

/** Creates a command at `AT`. */
export const command = <const Name extends string, Data>(
  name: Name,
  data: Data,
  { caller = '', at = COMMAND_TIME, tenancy = DEFAULT_TENANCY }: CommandParts = {}
): Command<Name, Data> => ({
  name,
  data,
  tenancy,
  at,
  caller: { accessor: caller, address: '127.0.0.1', requestId: 'r' }
})

/** An event as `Type Key`, or with the required part of its payload. */
type Expected = string | readonly [event: string, payload: Readonly<Record<string, unknown>>]

interface Outcome {
  readonly views: Views
  /** Returns the events. @throws the refusal, if it was refused */
  events(): readonly Event[]
  /** Asserts exactly these events, and that the lifecycles allow them. */
  gives(t: Assertions, ...expected: readonly Expected[]): void
  /** Asserts a refusal with this code whose text matches. */
  refuses(t: Assertions, code: RefusalCode, text: RegExp | string): void
}

const outcome = (views: Views, decide: () => readonly Event[]): Outcome => ({
  views,
  events: decide,
  gives: (t, ...expected) => {
    const events = decide()
    new UnitOfWork(lifecycles, views).takeAll(events)
    t.deepEqual(
      events.map(({ Type, Key }) => `${Type} ${Key}`),
      expected.map(one => (typeof one === 'string' ? one : one[0]))
    )
    for (const [i, one] of expected.entries()) if (typeof one !== 'string') t.like(events[i]?.Payload, one[1])
  },
  refuses: (t, code, text) => {
    const refusal = t.throws(decide, { instanceOf: Refusal, message: text })
    t.is(refusal?.code, code, refusal?.message)
  }
})

export const given = (...history: readonly Event[]) => ({
  when: <C extends Command>(aggregate: Aggregate<C, Decision>, asked: C): Outcome => {
    const views = viewsAfter(history)
    return outcome(views, () => eventsOf(aggregate.decide(asked, views, views.index + 1)))
  }
})
