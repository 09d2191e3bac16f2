import { fromPromise, setup } from 'xstate'

interface SessionActors {
  /** Sends the current state; ends early when the signal aborts. Undefined for a stream of commits only. */
  readonly sendSnapshot: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Sends from the log until the stream is live; ends early when the signal aborts. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  readonly onLive: () => void
  readonly onFailure: (error: unknown) => void
}

/**
 * States: `snapshot` (sends the current state, once and first), `live` (served from the recent commits together with all others), `behind`
 * (served separately from the log), `closed` (final). A fast stream never leaves `live`, and a slow one delays no other. All sessions share
 * one machine, so that an idle one costs little.
 */
export const sessionMachine = setup({
  types: {
    context: {} as { readonly session: SessionActors },
    input: {} as SessionActors,
    events: {} as { type: 'FellBehind' } | { type: 'Closed' }
  },
  actors: {
    sendSnapshot: fromPromise(({ input, signal }: { input: SessionActors; signal: AbortSignal }) =>
      Promise.resolve(input.sendSnapshot?.(signal))
    ),
    catchUp: fromPromise(({ input, signal }: { input: SessionActors; signal: AbortSignal }) =>
      input.catchUp(signal)
    )
  }
}).createMachine({
  id: 'stream-session',
  context: ({ input }) => ({ session: input }),
  initial: 'opening',
  on: { Closed: '.closed' },
  states: {
    opening: {
      always: [
        { guard: ({ context }) => context.session.sendSnapshot !== undefined, target: 'snapshot' },
        { target: 'live' }
      ]
    },
    snapshot: {
      invoke: {
        src: 'sendSnapshot',
        input: ({ context }) => context.session,
        onDone: 'live',
        onError: { actions: ({ context, event }) => context.session.onFailure(event.error) }
      }
    },
    live: { entry: ({ context }) => context.session.onLive(), on: { FellBehind: 'behind' } },
    behind: {
      invoke: {
        src: 'catchUp',
        input: ({ context }) => context.session,
        onDone: 'live',
        onError: { actions: ({ context, event }) => context.session.onFailure(event.error) }
      }
    },
    closed: { type: 'final' }
  }
})
