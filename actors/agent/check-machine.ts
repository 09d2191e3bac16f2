import { assign, fromPromise, setup } from 'xstate'
import { CRITICAL, type CheckDefinition, PASSING } from '../../events/check.js'
import { parseMilliseconds } from '../../events/duration.js'
import { LONGEST_TIMER_MS } from '../clock.js'
import type { CheckReport } from './agent.js'
import type { ProbeServices } from './probe-http.js'
import { connect } from 'node:net'
import { guardedLookup, guardOf, refusedAddress } from '../outgoing/destinations.js'

/** Applies to one HTTP request, gRPC call or TCP connection (spec: state.md §8). */
const DEFAULT_TIMEOUT_MS = 10_000

const timeoutOf = ({ Timeout }: CheckDefinition): number =>
  (Timeout ? parseMilliseconds(Timeout) : undefined) || DEFAULT_TIMEOUT_MS

const failed = (error: unknown): CheckReport => ({
  status: CRITICAL,
  output: error instanceof Error ? error.message || error.name : String(error)
})

const TARGET = /^\[?(.*?)\]?:(\d+)$/

const probeTcp = (
  target: string,
  signal: AbortSignal,
  { destinations }: ProbeServices
): Promise<CheckReport> =>
  new Promise((resolve, reject) => {
    const [, host = '', port = ''] = TARGET.exec(target) ?? []
    if (port === '') {
      reject(new Error(`"${target}" is not host:port`))
      return
    }
    const guard = guardOf(destinations, 'check')
    const refused = refusedAddress(guard, host)
    if (refused) {
      reject(refused)
      return
    }
    const socket = connect({ host, port: Number(port), signal, lookup: guardedLookup(guard) })
    socket.on('connect', () => {
      socket.destroy()
      resolve({ status: PASSING, output: `TCP connect ${target}: Success` })
    })
    socket.on('error', reject)
  })

/** Runs a check once. Never rejects: a failure is a critical report. */
const probe = async (
  definition: CheckDefinition,
  ended: AbortSignal,
  services: ProbeServices
): Promise<CheckReport> => {
  try {
    const signal = AbortSignal.any([ended, services.timers.abortAfter(timeoutOf(definition))])
    if (definition.HTTP) {
      // Loaded on demand: a server without HTTP checks starts faster.
      const { probeHttp } = await import('./probe-http.js')
      return await probeHttp(definition.HTTP, definition, signal, services)
    }
    if (definition.GRPC) {
      // Loaded on demand: protobufjs is large, and checks rarely use gRPC.
      const { probeGrpc } = await import('./probe-grpc.js')
      return await probeGrpc(definition.GRPC, definition, signal, services)
    }
    return await probeTcp(definition.TCP ?? '', signal, services)
  } catch (error) {
    return failed(error)
  }
}

const SHORTEST_INTERVAL_MS = 1000

interface Input {
  readonly definition: CheckDefinition
  readonly services: ProbeServices
  readonly report: (report: CheckReport) => void
}

interface Context extends Input {
  readonly streak: number
  readonly wasHealthy: boolean
}

const isHealthy = ({ status }: CheckReport): boolean => status !== CRITICAL

const isSettled = ({ definition, streak }: Context, report: CheckReport): boolean =>
  streak >=
  (isHealthy(report) ? (definition.SuccessBeforePassing ?? 0) : (definition.FailuresBeforeCritical ?? 0))

export const runningCheckMachine = setup({
  types: { context: {} as Context, input: {} as Input },
  actors: {
    probe: fromPromise<CheckReport, Pick<Input, 'definition' | 'services'>>(({ input, signal }) =>
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
  context: ({ input }) => ({ ...input, streak: 0, wasHealthy: true }),
  initial: 'probing',
  states: {
    probing: {
      invoke: {
        src: 'probe',
        input: ({ context: { definition, services } }) => ({ definition, services }),
        onDone: {
          target: 'resting',
          actions: [
            assign(({ context, event }) => {
              const healthy = isHealthy(event.output)
              return { wasHealthy: healthy, streak: context.wasHealthy === healthy ? context.streak + 1 : 1 }
            }),
            ({ context, event }) => {
              if (isSettled(context, event.output)) context.report(event.output)
            }
          ]
        }
      }
    },
    resting: { after: { interval: 'probing' } }
  }
})
