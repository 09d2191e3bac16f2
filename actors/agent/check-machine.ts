// A check that runs: it asks, tells what it found, and rests.
import { assign, fromPromise, setup } from 'xstate'
import { CRITICAL, type CheckDefinition } from '../../events/check.js'
import { parseMilliseconds } from '../../events/duration.js'
import { LONGEST_TIMER_MS } from '../clock.js'
import type { Finding } from './agent.js'
import type { ProbeServices } from './probe-services.js'
import { probe } from './probe.js'

const SHORTEST_INTERVAL_MS = 1000

interface Input {
  readonly definition: CheckDefinition
  readonly services: ProbeServices
  readonly report: (finding: Finding) => void
}

interface Context extends Input {
  /** How many findings of the same kind, well or not, came in a row. */
  readonly streak: number
  readonly wasWell: boolean
}

const isWell = ({ status }: Finding): boolean => status !== CRITICAL

/** Whether so many findings in a row are enough to be told. */
const isSettled = ({ definition, streak }: Context, finding: Finding): boolean =>
  streak >=
  (isWell(finding) ? (definition.SuccessBeforePassing ?? 0) : (definition.FailuresBeforeCritical ?? 0))

/** Lifecycles as long as its check is registered. */
export const runningCheckMachine = setup({
  types: { context: {} as Context, input: {} as Input },
  actors: {
    probe: fromPromise<Finding, Pick<Input, 'definition' | 'services'>>(({ input, signal }) =>
      probe(input.definition, signal, input.services)
    )
  },
  delays: {
    interval: ({ context: { definition } }) =>
      Math.min(
        Math.max(parseMilliseconds(definition.Interval ?? '') ?? 0, SHORTEST_INTERVAL_MS),
        LONGEST_TIMER_MS
      )
  }
}).createMachine({
  id: 'running check',
  context: ({ input }) => ({ ...input, streak: 0, wasWell: true }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        src: 'probe',
        input: ({ context: { definition, services } }) => ({ definition, services }),
        onDone: {
          target: 'resting',
          actions: [
            assign(({ context, event }) => {
              const well = isWell(event.output)
              return { wasWell: well, streak: context.wasWell === well ? context.streak + 1 : 1 }
            }),
            ({ context, event }) => {
              if (isSettled(context, event.output)) context.report(event.output)
            }
          ]
        }
      }
    },
    resting: { after: { interval: 'asking' } }
  }
})
