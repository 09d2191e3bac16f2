// The process that requests one witness's cosignatures, one checkpoint at a time.
import { type ActorRefFrom, assign, fromPromise, setup } from 'xstate'

interface WitnessActors {
  /**
   * Requests a cosignature of the newest checkpoint.
   * @returns milliseconds to wait after a failure; undefined when it is signed
   */
  readonly ask: (signal: AbortSignal) => Promise<number | undefined>
  /** The process can accept the next checkpoint. */
  readonly onIdle: () => void
}

/**
 * States: `idle`, `requesting`, `waiting` (after a failure), `stopped` (final). `New` has an effect only in
 * `idle`, which `onIdle` reports.
 */
export const witnessMachine = ({ ask, onIdle }: WitnessActors) =>
  setup({
    types: { context: {} as { readonly wait: number }, events: {} as { type: 'New' } | { type: 'Stop' } },
    actors: { ask: fromPromise<number | undefined>(({ signal }) => ask(signal)) },
    actions: { onIdle },
    delays: { wait: ({ context }) => context.wait }
  }).createMachine({
    id: 'witness',
    context: { wait: 0 },
    initial: 'idle',
    on: { Stop: '.stopped' },
    states: {
      idle: { entry: 'onIdle', on: { New: 'requesting' } },
      requesting: {
        invoke: {
          src: 'ask',
          onDone: [
            { guard: ({ event }) => event.output === undefined, target: 'idle' },
            { target: 'waiting', actions: assign({ wait: ({ event }) => event.output ?? 0 }) }
          ]
        }
      },
      waiting: { after: { wait: 'idle' } },
      stopped: { type: 'final' }
    }
  })

export type WitnessMachine = ReturnType<typeof witnessMachine>
export type WitnessActor = ActorRefFrom<WitnessMachine>
