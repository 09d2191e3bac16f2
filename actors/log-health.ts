// The lifecycle of the log's writer: after a failure it rebuilds the read models and refuses writes.
import { fromPromise, setup } from 'xstate'
import type { WriteAdmission } from '../events/log/log.js'

const RETRY_MS = 500

interface LogHealthActors {
  readonly rebuild: () => Promise<void>
  /** Tries to write and resolves with the write admission; rejects while the log accepts nothing. */
  readonly recover: () => Promise<Exclude<WriteAdmission, 'none'>>
  readonly swap: () => Promise<void>
}

/**
 * States: `accepting`, `exchanging` and `rebuilding` (not readable), `refusing` and `probing` (read only), `reserved` and `reprobing` (full disk:
 * deletions only), `broken` (final). `Failed`: the read models contain commits that the log refused. `Stalled`: they contain only commits on disk.
 */
const recovered = [
  {
    guard: ({ event }: { event: { output: WriteAdmission } }) => event.output === 'all',
    target: 'accepting'
  },
  { target: 'reserved' }
] as const

export const admissionIn = (state: string): WriteAdmission => {
  if (state === 'accepting') return 'all'
  return state === 'reserved' || state === 'reprobing' ? 'deletions' : 'none'
}

export const logHealthMachine = ({ rebuild, recover, swap: exchange }: LogHealthActors) =>
  setup({
    types: { events: {} as { type: 'Failed' | 'Stalled' | 'Exchange' } },
    actors: { rebuild: fromPromise(rebuild), recover: fromPromise(recover), exchange: fromPromise(exchange) },
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
