import type { SecureClientSessionOptions } from 'node:http2'
import protobuf from 'protobufjs/light.js'
import { CRITICAL, PASSING, type CheckDefinition } from '../../events/check.js'
import { GrpcConnection, GrpcFailure, Status } from '../../events/grpc.js'
import { DestinationRefused, guardedLookup, guardOf, refusedAddress } from '../outgoing/destinations.js'
import type { CheckReport } from './agent.js'
import type { ProbeServices } from './probe-http.js'

const METHOD = '/grpc.health.v1.Health/Check'
const request = new protobuf.Type('HealthCheckRequest').add(new protobuf.Field('service', 1, 'string'))
const response = new protobuf.Type('HealthCheckResponse').add(new protobuf.Field('status', 1, 'int32'))
const STATUSES: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
/** The server of a check is not trusted with memory. */
const MAX_RESPONSE_BYTES = 64 * 1024

const statusOf = (bytes: Uint8Array): string => {
  const { status = 0 }: { readonly status?: number } = response.toObject(response.decode(bytes))
  return STATUSES[status] ?? String(status)
}

const connectionOf = (
  address: string,
  { GRPCUseTLS, TLSServerName, TLSSkipVerify }: CheckDefinition,
  { tls, destinations }: ProbeServices
): GrpcConnection => {
  const { origin, hostname } = new URL(`${GRPCUseTLS ? 'https' : 'http'}://${address}`)
  const guard = guardOf(destinations, 'check')
  // An address, which the URL has in its usual form, is not looked up.
  const refused = refusedAddress(guard, hostname.replace(/^\[|\]$/g, ''))
  if (refused) throw refused
  const secureContext = tls.contextFor('')
  const options: SecureClientSessionOptions = {
    lookup: guardedLookup(guard),
    rejectUnauthorized: TLSSkipVerify !== true,
    ...(TLSServerName ? { servername: TLSServerName } : {}),
    ...(secureContext ? { secureContext } : {})
  }
  return new GrpcConnection(
    origin,
    () => options,
    () => ({})
  )
}

const nameOf = (code: number): string =>
  Object.entries(Status).find(([, number]) => number === code)?.[0] ?? 'UNKNOWN'

/** Returns a failure as the output of a check has it: with the name of its code, or the rule that keeps the check from its target. */
const reported = (error: unknown): unknown => {
  if (!(error instanceof GrpcFailure)) return error
  if (error.cause instanceof DestinationRefused) return error.cause
  return new Error(`${error.code} ${nameOf(error.code)}: ${error.message}`, { cause: error })
}

const call = async (connection: GrpcConnection, service: string, signal: AbortSignal): Promise<string> => {
  signal.throwIfAborted()
  const end = (): void => connection.close()
  signal.addEventListener('abort', end)
  try {
    const message = request.encode({ service }).finish()
    return statusOf(await connection.ask(METHOD, message, undefined, MAX_RESPONSE_BYTES))
  } catch (error) {
    throw signal.aborted ? signal.reason : reported(error)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

/**
 * Calls the health service of a gRPC server, at an address that checks may reach.
 * @param target `host:port`, or `host:port/service` for one service of the server
 * @throws Error of the call; when `signal` aborts
 */
export const probeGrpc = async (
  target: string,
  definition: CheckDefinition,
  signal: AbortSignal,
  services: ProbeServices
): Promise<CheckReport> => {
  const at = target.indexOf('/')
  const [address, service] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  const connection = connectionOf(address, definition, services)
  const status = await call(connection, service, signal)
  return status === 'SERVING'
    ? { status: PASSING, output: `gRPC check ${target}: success` }
    : { status: CRITICAL, output: `gRPC ${target} serving status: ${status}` }
}
