// A snapshot of the state consists of the last events in the log of every existing resource.
import fc from 'fast-check'
import test from 'ava'
import { lifecycles } from '../../../actors/aggregates.js'
import { eventText } from '../../../events/codec.js'
import type { Commit, Event } from '../../../events/envelope.js'
import { ERASURE_TOPIC } from '../../../events/erasure.js'
import { newlineDelimited, type Subscription } from '../../../projections/stream/subscription.js'
import { eventViewOf } from '../../../projections/stream/event-view.js'
import { commitOf, factsOfState } from '../../../projections/stream/snapshot.js'
import { TopicFilter, type TopicChoice } from '../../../projections/stream/topic-filter.js'
import { isTopic } from '../../../projections/stream/topics.js'
import { Views } from '../../../projections/read-models.js'
import { histories, perform } from '../../actors/arbitrary-histories.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { runs } from '../../support/property-runs.js'

const subscriptionTo = (choices: readonly TopicChoice[]): Subscription => ({
  filter: new TopicFilter(choices),
  tenancy: { partition: '*', namespace: '*' },
  framing: newlineDelimited,
  sees: 'whole',
  meta: false
})
const EVERYTHING = subscriptionTo([])

const NO_CALLER = { AccessorID: '', Address: '', RequestID: '', Command: '' }

interface Indexed {
  readonly event: Event
  readonly index: number
}

/** An order to erase is nothing that exists. */
const isAboutAResource = ({ Topic }: Event): boolean => isTopic(Topic) && Topic !== ERASURE_TOPIC

/** The last event of everything that exists after these commits, by what it is about. */
const lastEvents = (commits: readonly Commit[]): ReadonlyMap<string, Indexed> => {
  const last = new Map<string, Indexed>()
  for (const { Index, Events } of commits)
    for (const event of Events.filter(isAboutAResource)) {
      const identity = lifecycles.identityOf(event)
      if (lifecycles.isEnding(event)) last.delete(identity)
      else last.set(identity, { event, index: Index })
    }
  return last
}

const textOf = ({ event, index }: Indexed): string => eventText(eventViewOf(event), index)
const textsOf = (all: Iterable<Indexed>): string[] => [...all].map(textOf).toSorted()

const state = (views: Views, subscription = EVERYTHING): Indexed[] =>
  [...factsOfState(views, subscription)].map(fact => {
    const { Index, Events } = commitOf(fact)
    const [event] = Events
    if (!event) throw new Error('a fact without an event')
    return { event, index: Index }
  })

test('the events of the state are the last ones of everything that exists, byte for byte', t => {
  fc.assert(
    fc.property(histories, history => {
      const views = new Views(settingsOfTests)
      const commits = perform(views, history)
      t.deepEqual(textsOf(state(views)), textsOf(lastEvents(commits).values()))
    }),
    { numRuns: runs(60) }
  )
})

test('commits during a snapshot come from the log only, and both together are the state', t => {
  fc.assert(
    fc.property(histories, fc.nat(100), fc.array(fc.nat(6), { minLength: 1 }), (history, cut, paces) => {
      const commits = perform(new Views(settingsOfTests), history)
      const at = Math.floor((commits.length * cut) / 100)
      const views = new Views(settingsOfTests)
      for (const commit of commits.slice(0, at)) views.apply(commit)
      const sent: Indexed[] = []
      const tail = commits.slice(at)
      let turn = 0
      for (const fact of factsOfState(views, EVERYTHING)) {
        const { Index, Events } = commitOf(fact)
        if (Index <= at) sent.push(...Events.map(event => ({ event, index: Index })))
        const pace = paces[turn++ % paces.length] ?? 0
        for (const commit of tail.splice(0, pace)) views.apply(commit)
      }
      const names = sent.map(({ event }) => lifecycles.identityOf(event))
      t.is(new Set(names).size, names.length)
      // Each was at some time up to then as it was sent, and what did not change is there.
      const before = new Set(textsOf(lastEvents(commits.slice(0, at)).values()))
      for (const one of sent) t.true(before.has(textOf(one)), textOf(one))
      const asSent = sent.map(({ event, index }) => ({
        Index: index,
        Time: '',
        By: NO_CALLER,
        Events: [event]
      }))
      t.deepEqual(
        textsOf(lastEvents([...asSent, ...commits.slice(at)]).values()),
        textsOf(lastEvents(commits).values())
      )
    }),
    { numRuns: runs(40) }
  )
})

const choices = fc.array(
  fc.record<TopicChoice>({
    topic: fc.constantFrom('KV', 'Node', 'Service', 'ACLToken', '*'),
    key: fc.option(fc.constantFrom('a', 'a/', 'a/b', 'a/b/', 'b', 'web', 'n', 'none'), { nil: undefined })
  }),
  { minLength: 1, maxLength: 4 }
)

test('a filtered snapshot has each matching resource once', t => {
  fc.assert(
    fc.property(histories, fc.array(choices, { minLength: 5, maxLength: 5 }), (history, filters) => {
      const views = new Views(settingsOfTests)
      perform(views, history)
      for (const asked of filters) {
        const subscription = subscriptionTo(asked)
        const passes = ({ event }: Indexed): boolean => subscription.filter.matches(event)
        t.deepEqual(
          textsOf(state(views, subscription).filter(passes)),
          textsOf(state(views).filter(passes)),
          subscription.filter.id
        )
      }
    }),
    { numRuns: runs(40) }
  )
})
