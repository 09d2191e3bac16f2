// The lifecycle of the log's writer: it accepts commits until the log fails, then rebuilds what was read from
// what is on disk, refuses writes, and tries from time to time whether the log can be written again.
import { fromPromise, setup } from 'xstate'
import type { WriteAdmission } from '../events/log/log.js'

const RETRY_MS = 500

interface LogHealthActors {
  /** Makes the read models equal to what is durable. */
  readonly rebuild: () => Promise<void>
  /** Tries to write, and tells what the log takes now; rejects while it takes nothing. */
  readonly recover: () => Promise<Exclude<WriteAdmission, 'none'>>
  /** Has another log take the place of this one, and makes the read models from it. */
  readonly swap: () => Promise<void>
}

/**
 * States: `accepting`, `exchanging` and `rebuilding` (nothing can be read), `refusing` and `probing` (read only), `reserved`
 * and `reprobing` (the disk is full: deletions only), `broken` (final). `Failed`: the read models show what the log refused. `Stalled`: they
 * show nothing that is not on disk.
 */
const recovered = [
  {
    guard: ({ event }: { event: { output: WriteAdmission } }) => event.output === 'all',
    target: 'accepting'
  },
  { target: 'reserved' }
] as const

/** What the log takes in a state of the machine. */
export const admissionIn = (state: string): WriteAdmission => {
  if (state === 'accepting') return 'all'
  return state === 'reserved' || state === 'reprobing' ? 'deletions' : 'none'
}

export const logHealthMachine = ({ rebuild, recover, swap: exchange }: LogHealthActors) =>
  setup({
    types: { events: {} as { type: 'Failed' | 'Stalled' | 'Exchange' } },
    actors: {
      rebuild: fromPromise(rebuild),
      recover: fromPromise(recover),
      exchange: fromPromise(exchange)
    },
    delays: { retry: RETRY_MS }
  }).createMachine({
    id: 'log-health',
    initial: 'accepting',
    states: {
      accepting: { on: { Failed: 'rebuilding', Stalled: 'refusing', Exchange: 'exchanging' } },
      exchanging: { invoke: { src: 'exchange', onDone: 'accepting', onError: 'rebuilding' } },
      rebuilding: { invoke: { src: 'rebuild', onDone: 'refusing', onError: 'broken' } },
      refusing: { after: { retry: 'probing' } },
      probing: { invoke: { src: 'recover', onDone: recovered, onError: 'refusing' } },
      reserved: { after: { retry: 'reprobing' }, on: { Failed: 'rebuilding', Stalled: 'refusing' } },
      reprobing: {
        invoke: { src: 'recover', onDone: recovered, onError: 'reserved' },
        on: { Failed: 'rebuilding', Stalled: 'refusing' }
      },
      broken: { type: 'final' }
    }
  })
