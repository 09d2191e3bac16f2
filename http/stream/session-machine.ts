// The lifecycle of a stream: it keeps up with the commits, or is behind and reads on from the log, until it is closed.
import { fromPromise, setup } from 'xstate'

export interface SessionActors {
  /** Sends from the log until the stream has caught up; ends early when the signal aborts. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** The stream has caught up. */
  readonly onLive: () => void
  /** The log could not be read. */
  readonly onFailure: (error: unknown) => void
}

/**
 * States: `live` (served from the recent commits together with all others), `behind` (on its own, in the log),
 * `closed` (final). A fast stream never leaves `live`, a slow one holds nobody up.
 */
export const sessionMachine = ({ catchUp, onLive, onFailure }: SessionActors) =>
  setup({
    types: { events: {} as { type: 'FellBehind' } | { type: 'Closed' } },
    actors: { catchUp: fromPromise(({ signal }) => catchUp(signal)) },
    actions: { onLive, onFailure: (_, { error }: { error: unknown }) => onFailure(error) }
  }).createMachine({
    id: 'stream-session',
    initial: 'live',
    on: { Closed: '.closed' },
    states: {
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
