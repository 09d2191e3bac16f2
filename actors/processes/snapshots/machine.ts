// The process that keeps a snapshot of the read models not too far behind the log.
import { fromPromise, setup } from 'xstate'

/** How long after one the next may begin, however much was written meanwhile, in milliseconds. */
const REST_MS = 60_000
/** How long to wait after a failure, in milliseconds. */
const RETRY_MS = 5 * 60_000

/**
 * States: `idle`, `writing` (one snapshot is being made), `resting` and `failed` (waiting). `Due` counts in `idle` alone, which
 * `onIdle` is told of, so that whoever sends it looks again whether it is.
 * @param write makes a snapshot; its signal aborts when the process is stopped
 */
export const snapshotMachine = (actors: {
  readonly write: (signal: AbortSignal) => Promise<void>
  readonly onIdle: () => void
}) =>
  setup({
    types: { events: {} as { type: 'Due' } },
    actors: { write: fromPromise<void>(({ signal }) => actors.write(signal)) },
    actions: { tell: () => actors.onIdle() },
    delays: { rest: REST_MS, retry: RETRY_MS }
  }).createMachine({
    id: 'snapshots',
    initial: 'idle',
    states: {
      idle: { entry: 'tell', on: { Due: 'writing' } },
      writing: { invoke: { src: 'write', onDone: 'resting', onError: 'failed' } },
      resting: { after: { rest: 'idle' } },
      failed: { after: { retry: 'idle' } }
    }
  })
