// The lifecycle of a stream: it sends what is true now if it was asked to, keeps up with the commits, or is behind and reads
// on from the log, until it is closed.
import { fromPromise, setup } from 'xstate'

export interface SessionActors {
  /** Sends what is true now; ends early when the signal aborts. Undefined for a stream of commits alone. */
  readonly sendSnapshot: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Sends from the log until the stream has caught up; ends early when the signal aborts. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** The stream has caught up. */
  readonly onLive: () => void
  /** The log, or the state, could not be read. */
  readonly onFailure: (error: unknown) => void
}

/**
 * States: `snapshot` (sends what is true now, once and first), `live` (served from the recent commits together with all
 * others), `behind` (on its own, in the log), `closed` (final). A fast stream never leaves `live`, a slow one holds nobody up.
 */
export const sessionMachine = ({ sendSnapshot, catchUp, onLive, onFailure }: SessionActors) =>
  setup({
    types: { events: {} as { type: 'FellBehind' } | { type: 'Closed' } },
    actors: {
      sendSnapshot: fromPromise(async ({ signal }) => sendSnapshot?.(signal)),
      catchUp: fromPromise(({ signal }) => catchUp(signal))
    },
    actions: { onLive, onFailure: (_, { error }: { error: unknown }) => onFailure(error) }
  }).createMachine({
    id: 'stream-session',
    initial: sendSnapshot ? 'snapshot' : 'live',
    on: { Closed: '.closed' },
    states: {
      snapshot: {
        invoke: {
          src: 'sendSnapshot',
          onDone: 'live',
          onError: { actions: { type: 'onFailure', params: ({ event }) => ({ error: event.error }) } }
        }
      },
      live: { entry: 'onLive', on: { FellBehind: 'behind' } },
      behind: {
        invoke: {
          src: 'catchUp',
          onDone: 'live',
          onError: { actions: { type: 'onFailure', params: ({ event }) => ({ error: event.error }) } }
        }
      },
      closed: { type: 'final' }
    }
  })
