// The process that has one witness sign what is new, one checkpoint at a time.
import { type ActorRefFrom, assign, fromPromise, setup } from 'xstate'

/** What the process needs of those who hold it. */
interface WitnessActors {
  /**
   * Has the newest checkpoint signed.
   * @returns how many milliseconds to wait after a failure; undefined when it was signed, or was signed before
   */
  readonly ask: (signal: AbortSignal) => Promise<number | undefined>
  /** The next checkpoint may come. */
  readonly onIdle: () => void
}

/** States: `idle`, `asking`, `waiting` (after a failure), `stopped` (final). `New` counts in `idle` alone, which `onIdle` is told of. */
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
      idle: { entry: 'onIdle', on: { New: 'asking' } },
      asking: {
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
