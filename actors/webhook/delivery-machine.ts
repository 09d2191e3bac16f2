// The process that delivers to one webhook: one batch at a time, retried until it is accepted or given up.
import { type ActorRefFrom, assign, fromPromise, setup } from 'xstate'
import type { Verdict } from './webhook-http.js'

export interface Batch {
  readonly body: Buffer
  readonly messages: number
  readonly from: number
  /** All selected events up to this index are delivered with this batch. */
  readonly to: number
}

export interface Failure {
  readonly batch: Batch
  /** Why the last attempt failed. */
  readonly reason: string
  readonly attempts: number
}

export interface DeliveryActors {
  readonly post: (batch: Batch, signal: AbortSignal) => Promise<Verdict>
  /** Returns the pause before the next attempt, ms; undefined for none. @param retryAfter milliseconds */
  readonly waitAfter: (attempts: number, retryAfter: number | undefined) => number | undefined
  /** The receiver accepted the batch. */
  readonly onDelivered: (batch: Batch) => void
  /** An attempt failed; the next one follows in `wait` milliseconds, if any. */
  readonly onFailed: (failure: Failure, wait: number | undefined) => void
  readonly giveUp: (failure: Failure) => Promise<void>
  /** Commits that the receiver ended the subscription. */
  readonly disable: () => Promise<void>
  readonly onIdle: () => void
}

interface Context {
  readonly failure: Failure
  readonly wait: number | undefined
}

type DeliveryEvent = { readonly type: 'Batch'; readonly batch: Batch } | { readonly type: 'Stop' }

const NOTHING: Failure = {
  batch: { body: Buffer.alloc(0), messages: 0, from: 0, to: 0 },
  reason: '',
  attempts: 0
}
const COMMIT_RETRY_MS = 1000

const failedAttempt = (
  { failure: { batch, attempts } }: Context,
  verdict: Verdict,
  { waitAfter }: Pick<DeliveryActors, 'waitAfter'>
): Partial<Context> =>
  verdict.outcome === 'failed'
    ? {
        failure: { batch, reason: verdict.reason, attempts: attempts + 1 },
        wait: waitAfter(attempts + 1, verdict.retryAfter)
      }
    : {}

const deliverySetup = (actors: DeliveryActors) =>
  setup({
    types: { context: {} as Context, events: {} as DeliveryEvent },
    actors: {
      post: fromPromise<Verdict, Batch>(({ input, signal }) => actors.post(input, signal)),
      giveUp: fromPromise<void, Failure>(({ input }) => actors.giveUp(input)),
      disable: fromPromise<void>(() => actors.disable())
    },
    actions: {
      onIdle: () => actors.onIdle(),
      onDelivered: ({ context }) => actors.onDelivered(context.failure.batch),
      onFailed: ({ context }) => actors.onFailed(context.failure, context.wait)
    },
    guards: { isLast: ({ context }) => context.wait === undefined },
    delays: { wait: ({ context }) => context.wait ?? 0, again: COMMIT_RETRY_MS }
  })

/**
 * States: `idle`, `sending`, `failed` (transient), `waiting` (for the next attempt), `givingUp` and
 * `disabling` (committing, with retries), `stopped` (final). A `Batch` has an effect only in `idle`.
 */
export const deliveryMachine = (actors: DeliveryActors) =>
  deliverySetup(actors).createMachine({
    id: 'webhook-delivery',
    context: { failure: NOTHING, wait: undefined },
    initial: 'idle',
    on: { Stop: '.stopped' },
    states: {
      idle: {
        entry: 'onIdle',
        on: {
          Batch: {
            target: 'sending',
            actions: assign({ failure: ({ event }) => ({ batch: event.batch, reason: '', attempts: 0 }) })
          }
        }
      },
      sending: {
        invoke: {
          src: 'post',
          input: ({ context }) => context.failure.batch,
          onDone: [
            {
              guard: ({ event }) => event.output.outcome === 'delivered',
              target: 'idle',
              actions: 'onDelivered'
            },
            { guard: ({ event }) => event.output.outcome === 'gone', target: 'disabling' },
            {
              target: 'failed',
              actions: assign(({ context, event }) => failedAttempt(context, event.output, actors))
            }
          ]
        }
      },
      failed: { entry: 'onFailed', always: [{ guard: 'isLast', target: 'givingUp' }, { target: 'waiting' }] },
      waiting: { after: { wait: 'sending' } },
      givingUp: {
        initial: 'committing',
        onDone: 'idle',
        states: {
          committing: {
            invoke: {
              src: 'giveUp',
              input: ({ context }) => context.failure,
              onDone: 'committed',
              onError: 'resting'
            }
          },
          resting: { after: { again: 'committing' } },
          committed: { type: 'final' }
        }
      },
      disabling: {
        initial: 'committing',
        onDone: 'stopped',
        states: {
          committing: { invoke: { src: 'disable', onDone: 'committed', onError: 'resting' } },
          resting: { after: { again: 'committing' } },
          committed: { type: 'final' }
        }
      },
      stopped: { type: 'final' }
    }
  })

export type DeliveryActor = ActorRefFrom<ReturnType<typeof deliveryMachine>>
