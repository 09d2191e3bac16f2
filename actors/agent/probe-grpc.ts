// Asks over gRPC whether something is well: the health protocol of gRPC, service `grpc.health.v1.Health`.
import { Client, credentials, Metadata, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js'
import protobuf from 'protobufjs/light.js'
import { CRITICAL, PASSING, type CheckDefinition } from '../../events/check.js'
import type { OutgoingTls } from '../outgoing/outgoing-tls.js'
import type { Finding } from './agent.js'

const METHOD = '/grpc.health.v1.Health/Check'
const request = new protobuf.Type('HealthCheckRequest').add(new protobuf.Field('service', 1, 'string'))
const response = new protobuf.Type('HealthCheckResponse').add(new protobuf.Field('status', 1, 'int32'))
/** What a server may say of its health, in the order of its numbers. */
const STATUSES: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

const serialised = (service: string): Buffer => Buffer.from(request.encode({ service }).finish())

const statusOf = (bytes: Buffer): string => {
  const { status = 0 }: { readonly status?: number } = response.toObject(response.decode(bytes))
  return STATUSES[status] ?? String(status)
}

const optionsOf = ({ TLSServerName }: CheckDefinition): ChannelOptions => ({
  // What is asked is what the check names, whatever proxy the environment has.
  'grpc.enable_http_proxy': 0,
  ...(TLSServerName ? { 'grpc.ssl_target_name_override': TLSServerName } : {})
})

const securityOf = ({ GRPCUseTLS, TLSSkipVerify }: CheckDefinition, tls: OutgoingTls): ChannelCredentials => {
  if (!GRPCUseTLS) return credentials.createInsecure()
  const verification = { rejectUnauthorized: TLSSkipVerify !== true }
  const context = tls.contextFor('')
  return context
    ? credentials.createFromSecureContext(context, verification)
    : credentials.createSsl(null, null, null, verification)
}

/**
 * @param target `host:port`, or `host:port/service` for one service of the server
 * @throws Error what the call reports; when `signal` aborts
 */
export const probeGrpc = async (
  target: string,
  definition: CheckDefinition,
  signal: AbortSignal,
  tls: OutgoingTls
): Promise<Finding> => {
  const at = target.indexOf('/')
  const [address, service] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  const client = new Client(`dns:${address}`, securityOf(definition, tls), optionsOf(definition))
  try {
    const status = await new Promise<string>((resolve, reject) => {
      const call = client.makeUnaryRequest(
        METHOD,
        serialised,
        statusOf,
        service,
        new Metadata(),
        (error, answer) => (error ? reject(error) : resolve(answer ?? ''))
      )
      signal.addEventListener('abort', () => call.cancel(), { once: true })
    })
    return status === 'SERVING'
      ? { status: PASSING, output: `gRPC check ${target}: success` }
      : { status: CRITICAL, output: `gRPC ${target} serving status: ${status}` }
  } finally {
    client.close()
  }
}
