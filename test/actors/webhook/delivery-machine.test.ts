import test from 'ava'
import { createActor, SimulatedClock } from 'xstate'
import {
  deliveryMachine,
  type Batch,
  type DeliveryActors,
  type Failure
} from '../../../actors/webhook/delivery-machine.js'
import type { Verdict } from '../../../actors/webhook/webhook-http.js'
import { until } from '../../support/wait.js'

const batch: Batch = { body: Buffer.from('{}'), messages: 1, from: 3, to: 4 }
const failed = (reason: string, retryAfter?: number): Verdict => ({
  outcome: 'failed',
  reason,
  ...(retryAfter === undefined ? {} : { retryAfter })
})

/** A process with scripted attempts, and its reports. */
const setUp = (verdicts: readonly Verdict[], actors: Partial<DeliveryActors> = {}) => {
  const clock = new SimulatedClock()
  const reports: string[] = []
  const failures: Failure[] = []
  let attempts = 0
  const actor = createActor(
    deliveryMachine({
      post: () => Promise.resolve(verdicts[attempts++] ?? { outcome: 'delivered' }),
      waitAfter: (count, retryAfter) => (count < 3 ? (retryAfter ?? count * 1000) : undefined),
      onDelivered: ({ to }) => reports.push(`delivered ${to}`),
      onFailed: (failure, wait) => reports.push(`${failure.reason}, ${failure.attempts}, ${wait}`),
      giveUp: failure => {
        failures.push(failure)
        return Promise.resolve()
      },
      disable: () => Promise.resolve(),
      onIdle: () => reports.push('idle'),
      ...actors
    }),
    { clock }
  )
  actor.start()
  const reaches = (state: string): Promise<true> =>
    until(state, () => JSON.stringify(actor.getSnapshot().value).includes(state))
  return { actor, clock, reports, failures, reaches, attempts: () => attempts }
}

test('what is taken makes room for the next', async t => {
  const { actor, reports, reaches } = setUp([])
  actor.send({ type: 'Batch', batch })
  await reaches('idle')
  t.deepEqual(reports, ['idle', 'delivered 4', 'idle'])
})

test('a batch is tried again after each wait, and after the last attempt given up', async t => {
  const { actor, clock, reports, failures, reaches, attempts } = setUp([
    failed('down'),
    failed('busy', 9000),
    failed('down')
  ])
  actor.send({ type: 'Batch', batch })
  await reaches('waiting')
  clock.increment(999)
  t.is(attempts(), 1)
  clock.increment(1)
  await until('the second attempt', () => reports.length === 3)
  await reaches('waiting')
  clock.increment(8999)
  t.is(attempts(), 2)
  clock.increment(1)
  await reaches('idle')
  t.deepEqual(reports, ['idle', 'down, 1, 1000', 'busy, 2, 9000', 'down, 3, undefined', 'idle'])
  t.deepEqual(failures, [{ batch, reason: 'down', attempts: 3 }])
})

test('a batch is not passed over before the log has it that it was given up', async t => {
  let refused = 1
  const { actor, clock, reports, reaches } = setUp([failed('a'), failed('b'), failed('c')], {
    waitAfter: () => undefined,
    giveUp: () => (refused-- > 0 ? Promise.reject(new Error('disk full')) : Promise.resolve())
  })
  actor.send({ type: 'Batch', batch })
  await reaches('resting')
  t.deepEqual(reports, ['idle', 'a, 1, undefined'])
  clock.increment(1000)
  await reaches('idle')
})

test('a receiver that ends the subscription stops the process', async t => {
  let disabled = 0
  const { actor, reaches } = setUp([{ outcome: 'gone' }], {
    disable: () => Promise.resolve(void disabled++)
  })
  actor.send({ type: 'Batch', batch })
  await reaches('stopped')
  t.is(disabled, 1)
  t.is(actor.getSnapshot().status, 'done')
})

test('an attempt under way ends with the process', async t => {
  let aborted = false
  const { actor, reaches } = setUp([], {
    post: (_batch, signal) => new Promise(() => signal.addEventListener('abort', () => (aborted = true)))
  })
  actor.send({ type: 'Batch', batch })
  await reaches('sending')
  actor.send({ type: 'Stop' })
  t.true(aborted)
})
