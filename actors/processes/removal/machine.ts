// The process that empties one namespace or partition: a step, another step, and at last its removal.
import { fromPromise, setup } from 'xstate'

/** What a step came to: more is to be done at once, or later, or nothing is left and the thing itself is gone. */
export type StepResult = 'more' | 'later' | 'gone'

/** How long to wait for others, or after a step that the log refused, in milliseconds. */
const PAUSE_MS = 200

const cameTo = (event: object, result: StepResult): boolean => 'output' in event && event.output === result

/**
 * States: `working` (a step is under way), `waiting`, `gone` (final). It keeps nothing: each step finds out what is left, so
 * that after a restart the process begins anew with the same effect.
 */
export const removalMachine = (step: () => Promise<StepResult>) =>
  setup({
    actors: { step: fromPromise(step) },
    delays: { pause: PAUSE_MS },
    guards: {
      hasMore: ({ event }) => cameTo(event, 'more'),
      isGone: ({ event }) => cameTo(event, 'gone')
    }
  }).createMachine({
    id: 'removal',
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'step',
          onDone: [
            { guard: 'hasMore', target: 'working', reenter: true },
            { guard: 'isGone', target: 'gone' },
            { target: 'waiting' }
          ],
          onError: 'waiting'
        }
      },
      waiting: { after: { pause: 'working' } },
      gone: { type: 'final' }
    }
  })
