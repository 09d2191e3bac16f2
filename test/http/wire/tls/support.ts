// Servers with TLS, and connections to them.
import { Agent, request as open, type RequestOptions } from 'node:https'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { ExecutionContext } from 'ava'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import { projectRoot, temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'

/** Returns the path of a file of test/support/tls. */
export const tlsFile = (name: string): string => join(projectRoot, 'test/support/tls', name)

/** Returns the paths of a certificate of `ca.pem` for this machine, and of its key. */
export const SERVER_FILES = { cert_file: tlsFile('server.pem'), key_file: tlsFile('server-key.pem') }

/** A request's options; its headers by name. */
interface Asking extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
}

interface TlsServer extends TestServer {
  readonly httpsPort: number
  /** Logged messages, from `warn` on. */
  readonly lines: readonly string[]
  /** Returns the status of a request, or the error code of its connection. */
  readonly ask: (path: string, options?: Asking, body?: string) => Promise<number | string>
}

/** Replaces shared files with copies: each server watches its files, and Node warns of many watchers of one file. */
const withOwnFiles = (t: ExecutionContext, http: object): object => {
  const folder = temporaryFolder(t)
  return Object.fromEntries(
    Object.entries(http).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'string' || !value.startsWith(tlsFile('')) || !existsSync(value))
        return [name, value]
      const copy = join(folder, `${name}.pem`)
      copyFileSync(value, copy)
      return [name, copy]
    })
  )
}

/** Starts a server with TLS and these settings below `tls.http`. */
export const tlsServer = async (
  t: ExecutionContext,
  http: object = SERVER_FILES,
  config: Readonly<Record<string, unknown>> = {}
): Promise<TlsServer> => {
  const lines: string[] = []
  const server = await serverInProcess(t, {
    config: { ports: { http: 0, https: 0, dns: -1 }, tls: { http: withOwnFiles(t, http) }, ...config },
    register: scope => {
      const write = (line: string): void => void lines.push(line)
      scope.registerInstance(LOGGER, createLogger({ log: { level: 'info', pretty: false } }, { write }))
    }
  })
  const { httpsPort } = server
  if (httpsPort === undefined) throw new Error('TLS is off')
  const ask: TlsServer['ask'] = (path, { headers: given = {}, ...options } = {}, body) =>
    new Promise(resolve => {
      const headers = { 'x-service-token': ROOT, ...given }
      const agent = new Agent({ keepAlive: false })
      const sent = { ca: pem('ca.pem'), agent, ...options, headers }
      const request = open(`https://127.0.0.1:${httpsPort}${path}`, sent, response => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      request.end(body)
    })
  return { ...server, httpsPort, lines, ask }
}

/** Opens a TLS connection and completes its handshake. */
export const connected = (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: pem('ca.pem'), ...options }, () => resolve(socket))
    socket.on('error', reject)
  })

/** Returns the fingerprint of a port's certificate. */
export const fingerprintAt = async (port: number): Promise<string> => {
  const socket = await connected(port, { rejectUnauthorized: false })
  const shown = socket.getPeerX509Certificate()?.fingerprint256 ?? ''
  socket.destroy()
  return shown
}

/** Copies a certificate and its key for changes. */
export const copies = (t: ExecutionContext): { readonly cert_file: string; readonly key_file: string } => {
  const folder = temporaryFolder(t)
  const files = { cert_file: join(folder, 'cert.pem'), key_file: join(folder, 'key.pem') }
  writeFileSync(files.cert_file, pem('server.pem'))
  writeFileSync(files.key_file, pem('server-key.pem'))
  return files
}
