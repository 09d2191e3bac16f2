// Asks whether something is well: one HTTP request, one gRPC call or one TCP connection, within a time (spec:
// state.md §8).
import { connect } from 'node:net'
import { CRITICAL, PASSING, type CheckDefinition } from '../../events/check.js'
import { parseMilliseconds } from '../../events/duration.js'
import { guardedLookup, guardOf, refusedAddress } from '../outgoing/guard.js'
import { abortAfter } from '../clock.js'
import type { Finding } from './agent.js'
import type { ProbeServices } from './probe-services.js'

const DEFAULT_TIMEOUT_MS = 10_000

const timeoutOf = ({ Timeout }: CheckDefinition): number =>
  (Timeout ? parseMilliseconds(Timeout) : undefined) || DEFAULT_TIMEOUT_MS

const failed = (error: unknown): Finding => ({
  status: CRITICAL,
  output: error instanceof Error ? error.message || error.name : String(error)
})

const TARGET = /^\[?(.*?)\]?:(\d+)$/

const probeTcp = (target: string, signal: AbortSignal, { destinations }: ProbeServices): Promise<Finding> =>
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

/** Runs a check once. Never rejects: what goes wrong is what was found. */
export const probe = async (
  definition: CheckDefinition,
  ended: AbortSignal,
  services: ProbeServices
): Promise<Finding> => {
  try {
    const signal = AbortSignal.any([ended, abortAfter(timeoutOf(definition))])
    if (definition.HTTP) {
      // Loaded with the first check by HTTP: a server without one starts sooner.
      const { probeHttp } = await import('./probe-http.js')
      return await probeHttp(definition.HTTP, definition, signal, services)
    }
    if (definition.GRPC) {
      // Loaded with the first check by gRPC: few servers have one, and it is large.
      const { probeGrpc } = await import('./probe-grpc.js')
      return await probeGrpc(definition.GRPC, definition, signal, services)
    }
    return await probeTcp(definition.TCP ?? '', signal, services)
  } catch (error) {
    return failed(error)
  }
}
