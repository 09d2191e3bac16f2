// The process that delivers to one webhook: a batch at a time, each tried until it is taken or given up.
import { type ActorRefFrom, assign, fromPromise, setup } from 'xstate'
import type { Verdict } from './webhook-http.js'

/** What one request carries. */
export interface Batch {
  /** JSON. */
  readonly body: Buffer
  readonly messages: number
  /** Index of its first message. */
  readonly from: number
  /** Everything selected up to this index has been sent when this batch has been taken. */
  readonly to: number
}

/** A batch that was tried in vain. */
export interface Failure {
  readonly batch: Batch
  /** Why the last attempt failed. */
  readonly reason: string
  /** Attempts so far. */
  readonly attempts: number
}

/** What the process needs of those who hold it. */
export interface DeliveryActors {
  /** Makes one attempt. */
  readonly post: (batch: Batch, signal: AbortSignal) => Promise<Verdict>
  /**
   * Milliseconds until the next attempt; undefined when there is none.
   * @param retryAfter milliseconds that the receiver asks for
   */
  readonly waitAfter: (attempts: number, retryAfter: number | undefined) => number | undefined
  /** The receiver took the batch. */
  readonly onDelivered: (batch: Batch) => void
  /** An attempt failed; the next one follows in `wait` milliseconds, if any. */
  readonly onFailed: (failure: Failure, wait: number | undefined) => void
  /** Keeps in the log that the batch was given up. */
  readonly giveUp: (failure: Failure) => Promise<void>
  /** Keeps in the log that the receiver wants no more. */
  readonly disable: () => Promise<void>
  /** The next batch may come. */
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
/** How long to wait before what the log refused is tried again, in milliseconds. */
const AGAIN_MS = 1000

/**
 * States: `idle`, `sending`, `failed` (passing), `waiting` (for the next attempt), `givingUp` and `disabling` (the log is told, until it takes
 * it), `stopped` (final). A `Batch` counts in `idle` alone.
 */
export const deliveryMachine = (actors: DeliveryActors) =>
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
    delays: { wait: ({ context }) => context.wait ?? 0, again: AGAIN_MS }
  }).createMachine({
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
              actions: assign(({ context, event: { output } }) => {
                if (output.outcome !== 'failed') return {}
                const { batch, attempts } = context.failure
                return {
                  failure: { batch, reason: output.reason, attempts: attempts + 1 },
                  wait: actors.waitAfter(attempts + 1, output.retryAfter)
                }
              })
            }
          ]
        }
      },
      failed: {
        entry: 'onFailed',
        always: [{ guard: 'isLast', target: 'givingUp' }, { target: 'waiting' }]
      },
      waiting: { after: { wait: 'sending' } },
      givingUp: {
        initial: 'telling',
        onDone: 'idle',
        states: {
          telling: {
            invoke: {
              src: 'giveUp',
              input: ({ context }) => context.failure,
              onDone: 'told',
              onError: 'resting'
            }
          },
          resting: { after: { again: 'telling' } },
          told: { type: 'final' }
        }
      },
      disabling: {
        initial: 'telling',
        onDone: 'stopped',
        states: {
          telling: { invoke: { src: 'disable', onDone: 'told', onError: 'resting' } },
          resting: { after: { again: 'telling' } },
          told: { type: 'final' }
        }
      },
      stopped: { type: 'final' }
    }
  })

export type DeliveryActor = ActorRefFrom<ReturnType<typeof deliveryMachine>>
