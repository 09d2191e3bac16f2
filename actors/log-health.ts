// The life of the log's writer: it accepts commits until the log fails, then rebuilds what was read from what is on
// disk, refuses writes, and tries from time to time whether the log can be written again.
import { fromPromise, setup } from 'xstate'

const RETRY_MS = 500

export interface LogHealthActors {
  /** Makes the read models equal to what is durable. */
  readonly rebuild: () => Promise<void>
  /** Tries to write; rejects while the log cannot. */
  readonly recover: () => Promise<void>
}

/** States: `accepting`, `rebuilding` (nothing can be read), `refusing` and `probing` (read only), `broken` (final). */
export const logHealthMachine = ({ rebuild, recover }: LogHealthActors) =>
  setup({
    types: { events: {} as { type: 'Failed' } },
    actors: { rebuild: fromPromise(rebuild), recover: fromPromise(recover) },
    delays: { retry: RETRY_MS }
  }).createMachine({
    id: 'log-health',
    initial: 'accepting',
    states: {
      accepting: { on: { Failed: 'rebuilding' } },
      rebuilding: { invoke: { src: 'rebuild', onDone: 'refusing', onError: 'broken' } },
      refusing: { after: { retry: 'probing' } },
      probing: { invoke: { src: 'recover', onDone: 'accepting', onError: 'refusing' } },
      broken: { type: 'final' }
    }
  })
