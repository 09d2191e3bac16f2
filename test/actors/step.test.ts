import test from 'ava'
import { setup, transition } from 'xstate'
import { step } from '../../actors/unit-of-work.js'

test('a step gives what the documented transition of xstate gives', t => {
  const door = setup({ types: { events: {} as { type: 'open' } | { type: 'close' } } }).createMachine({
    id: 'door',
    initial: 'closed',
    states: { closed: { on: { open: 'opened' } }, opened: { on: { close: 'closed' } } }
  })
  for (const value of ['closed', 'opened'])
    for (const type of ['open', 'close'] as const) {
      const snapshot = door.resolveState({ value, context: {} })
      const [expected] = transition(door, snapshot, { type })
      t.is(step(door, snapshot, { type }).value, expected.value)
    }
})

test('what a guard throws is thrown', t => {
  const machine = setup({
    types: { events: {} as { type: 'go' } },
    guards: {
      broken: () => {
        throw new Error('a broken guard')
      }
    }
  }).createMachine({ initial: 'a', states: { a: { on: { go: { target: 'b', guard: 'broken' } } }, b: {} } })
  t.throws(() => step(machine, machine.resolveState({ value: 'a', context: {} }), { type: 'go' }), {
    message: /broken guard/
  })
})
