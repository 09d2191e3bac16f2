// Random histories over all aggregates: the commits that random commands came to.
import fc from 'fast-check'
import { accessAggregate } from '../../actors/access.js'
import { UnitOfWork } from '../../actors/unit-of-work.js'
import { type Aggregate, type Command, type Decision, eventsOf } from '../../actors/aggregate.js'
import { lifecycles } from '../../actors/aggregates.js'
import { partitionAggregate } from '../../actors/partition.js'
import { Refusal } from '../../actors/refusal.js'
import { checkTenancy } from '../../actors/tenancy.js'
import { type Commit, DEFAULT_TENANCY, type Event, type IdempotentResponse } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import type { Views } from '../../projections/read-models.js'
import { COMMAND_TIME } from '../support/decision-spec.js'
import { moves, SPACES } from './arbitrary-moves.js'
import { id } from './acl-resources.js'

/** Up to this many milliseconds pass between two commands: longer than lock-delays, and than removed keys are remembered. */
const LONGEST = 20 * 60_000

/** Commands with their times and tenancies. */
export const histories = fc.array(
  fc.record({
    move: moves,
    space: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.nat(SPACES.length - 1) }
    ),
    after: fc.oneof(fc.nat(20_000), fc.nat(LONGEST))
  }),
  { minLength: 80, maxLength: 160 }
)
export type History = typeof histories extends fc.Arbitrary<infer T> ? T : never

const caller = { accessor: id(100), address: '127.0.0.1', requestId: 'r' }

/** Topics whose keys are generated IDs. */
const BY_ID = ['ACLPolicy', 'ACLRole', 'ACLToken', 'ACLBindingRule', 'Session', 'PreparedQuery']

/** Rejects generated IDs that exist already, also in another tenancy, which those of servers never do. */
class PossibleEvents {
  readonly #owners = new Map<string, string>()

  includes(views: Views, events: readonly Event[]): boolean {
    const identities = new Map(events.map(event => [nameOf(event), lifecycles.identityOf(event)]))
    for (const [name, identity] of identities)
      if ((this.#owners.get(name) ?? identity) !== identity) return false
    try {
      new UnitOfWork(lifecycles, views).takeAll(events)
    } catch {
      return false
    }
    for (const event of events)
      if (lifecycles.isEnding(event)) this.#owners.delete(nameOf(event))
      else if (BY_ID.includes(event.Topic)) this.#owners.set(nameOf(event), lifecycles.identityOf(event))
    return true
  }
}

const nameOf = ({ Topic, Key }: Event): string => `${Topic} ${Key}`

/** An answer whose idempotency key is one of a few. */
const answerTo = (index: number): IdempotentResponse => ({
  Key: Buffer.alloc(16, index % 12).toString('base64'),
  Body: '',
  Status: 200,
  Type: '',
  Headers: [],
  Text: '',
  Rights: '[]'
})

/** Decides the commands one after another on these read models, which fold what they come to. */
export const perform = (views: Views, history: History): readonly Commit[] => {
  const commits: Commit[] = []
  const possible = new PossibleEvents()
  let at = COMMAND_TIME
  const ask = <C extends Command>(aggregate: Aggregate<C, Decision>, command: C): void => {
    try {
      checkTenancy(aggregate, command, views)
      const Events = eventsOf(aggregate.decide(command, views, views.index + 1))
      if (Events.length === 0 || !possible.includes(views, Events)) return
      const origin = { AccessorID: '', Address: '', RequestID: '', Command: command.name }
      const By =
        views.index % 3 === 0 ? { ...origin, ChangeSet: `set-${views.index % 5}`, Owner: 'platform' } : origin
      const plain: Commit = { Index: views.index + 1, Time: formatTime(at), By, Events }
      const commit = plain.Index % 4 === 0 ? { ...plain, Answer: answerTo(plain.Index) } : plain
      views.apply(commit)
      commits.push(commit)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  const start = { tenancy: DEFAULT_TENANCY, caller, at }
  ask(partitionAggregate, { ...start, name: 'CreateDefaultPartition' as const, data: null })
  ask(accessAggregate, { ...start, name: 'CreateBuiltinPolicy' as const, data: null })
  ask(accessAggregate, { ...start, name: 'CreateAnonymousToken' as const, data: null })
  for (const { move: made, space, after } of history) {
    at += after
    made(ask, { tenancy: SPACES[space] ?? DEFAULT_TENANCY, caller, at })
  }
  return commits
}
