import { lookup } from 'node:dns/promises'
import { Client, credentials, Metadata, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js'
import protobuf from 'protobufjs/light.js'
import { CRITICAL, PASSING, type CheckDefinition } from '../../events/check.js'
import { DestinationRefused, type Guard, guardOf } from '../outgoing/destinations.js'
import type { OutgoingTls } from '../outgoing/outgoing-tls.js'
import type { CheckReport } from './agent.js'
import type { ProbeServices } from './probe-http.js'

const METHOD = '/grpc.health.v1.Health/Check'
const request = new protobuf.Type('HealthCheckRequest').add(new protobuf.Field('service', 1, 'string'))
const response = new protobuf.Type('HealthCheckResponse').add(new protobuf.Field('status', 1, 'int32'))
const STATUSES: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

const serialised = (service: string): Buffer => Buffer.from(request.encode({ service }).finish())

const statusOf = (bytes: Buffer): string => {
  const { status = 0 }: { readonly status?: number } = response.toObject(response.decode(bytes))
  return STATUSES[status] ?? String(status)
}

const optionsOf = (address: string, host: string, { TLSServerName }: CheckDefinition): ChannelOptions => ({
  // The probe connects to the target of the check, whatever proxy the environment has.
  'grpc.enable_http_proxy': 0,
  'grpc.default_authority': address,
  'grpc.ssl_target_name_override': TLSServerName || host
})

const securityOf = ({ GRPCUseTLS, TLSSkipVerify }: CheckDefinition, tls: OutgoingTls): ChannelCredentials => {
  if (!GRPCUseTLS) return credentials.createInsecure()
  const verification = { rejectUnauthorized: TLSSkipVerify !== true }
  const context = tls.contextFor('')
  return context
    ? credentials.createFromSecureContext(context, verification)
    : credentials.createSsl(null, null, null, verification)
}

const ADDRESS = /^\[?(.*?)\]?:(\d+)$/

/** Returns a gRPC target for each address family of a host. @throws DestinationRefused */
const targetsOf = async (host: string, port: string, guard: Guard): Promise<readonly string[]> => {
  const found = await lookup(host, { all: true })
  const allowed = found.filter(({ address }) => guard.mayReach(address))
  if (allowed.length === 0)
    throw new DestinationRefused(
      guard.setting,
      host,
      found.map(({ address }) => address)
    )
  return [...new Set(allowed.map(({ family }) => family))].map(family => {
    const addresses = allowed
      .filter(address => address.family === family)
      .map(({ address }) => hostPort(address, port))
    return `ipv${family}:${addresses.join(',')}`
  })
}

const hostPort = (address: string, port: string): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

const call = async (client: Client, service: string, signal: AbortSignal): Promise<string> => {
  try {
    return await new Promise<string>((resolve, reject) => {
      const pending = client.makeUnaryRequest(
        METHOD,
        serialised,
        statusOf,
        service,
        new Metadata(),
        (error, answer) => (error ? reject(error) : resolve(answer ?? ''))
      )
      signal.addEventListener('abort', () => pending.cancel(), { once: true })
    })
  } finally {
    client.close()
  }
}

/**
 * Resolves host names itself, to connect to the checked addresses.
 * @param target `host:port`, or `host:port/service` for one service of the server
 * @throws Error of the call; when `signal` aborts
 */
export const probeGrpc = async (
  target: string,
  definition: CheckDefinition,
  signal: AbortSignal,
  { tls, destinations }: ProbeServices
): Promise<CheckReport> => {
  const at = target.indexOf('/')
  const [address, service] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  const [, host = '', port = ''] = ADDRESS.exec(address) ?? []
  const [first = '', ...others] = await targetsOf(host, port, guardOf(destinations, 'check'))
  const ask = (resolved: string): Promise<string> => {
    const client = new Client(resolved, securityOf(definition, tls), optionsOf(address, host, definition))
    return call(client, service, signal)
  }
  // A host may answer on address address family only.
  const status = await others.reduce((previous, other) => previous.catch(() => ask(other)), ask(first))
  return status === 'SERVING'
    ? { status: PASSING, output: `gRPC check ${target}: success` }
    : { status: CRITICAL, output: `gRPC ${target} serving status: ${status}` }
}
