// The process that lets go of the oldest commits.
import { fromPromise, setup } from 'xstate'

/** How often is looked what may go, also after a failure, in milliseconds. */
const PERIOD_MS = 10 * 60_000

/** States: `applying` (a look, and what follows from it), `waiting`. */
export const retentionMachine = (apply: (signal: AbortSignal) => Promise<void>) =>
  setup({
    actors: { apply: fromPromise<void>(({ signal }) => apply(signal)) },
    delays: { period: PERIOD_MS }
  }).createMachine({
    id: 'retention',
    initial: 'applying',
    states: {
      applying: { invoke: { src: 'apply', onDone: 'waiting', onError: 'waiting' } },
      waiting: { after: { period: 'applying' } }
    }
  })
