// What the lifecycles of all topics declare is what their machines do.
import test from 'ava'
import { aggregates, lifecycles } from '../../actors/aggregates.js'

test('the kind of an aggregate that has a lifecycle is its topic', t => {
  for (const [kind, { lifecycle }] of Object.entries(aggregates)) {
    if (!lifecycle) continue
    t.is(lifecycle.topic, kind)
    t.is(lifecycles.of(kind), lifecycle)
  }
})

test('machines bear their topics, and run without timers and invocations', t => {
  for (const { topic, machine } of lifecycles) {
    t.is(machine.id, topic)
    const states = Object.values(machine.states)
    t.true(states.length > 1, topic)
    for (const state of states) {
      t.deepEqual(state.after, [], topic)
      t.deepEqual(state.invoke, [], topic)
    }
  }
})

test('only these lifecycles have events that a condition may reject', t => {
  const conditional = [...lifecycles].filter(lifecycle => lifecycle.conditional.size > 0)
  t.deepEqual(conditional.map(({ topic }) => topic).toSorted(), [
    'Cluster',
    'Log',
    'Namespace',
    'Operator',
    'Partition',
    'Session'
  ])
})

test('the endings of a lifecycle are the events that lead from another state to its first', t => {
  for (const { topic, machine, endings } of lifecycles) {
    const first = machine.config.initial
    const leading = Object.values(machine.states)
      .filter(({ key }) => key !== first)
      .flatMap(({ on }) => Object.entries(on))
      .filter(([, transitions]) => transitions.some(({ target }) => target?.some(({ key }) => key === first)))
      .map(([type]) => type)
    t.deepEqual(new Set(endings), new Set(leading), topic)
  }
})
