// An identity provider with programmable discovery, keys, tokens and UserInfo.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { projectRoot, type Scope } from './process.js'

/** A PEM file of test/support/tls. */
export const pem = (name: string): string => readFileSync(join(projectRoot, 'test/support/tls', name), 'utf8')

/** A received request. */
interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The response of a path: a JSON value with 200, or a function that writes it. */
export type Reply = object | ((call: Call, response: ServerResponse) => void)

export interface StubProvider {
  readonly issuer: string
  readonly calls: Call[]
  /** The requests to one path. */
  readonly callsOf: (path: string) => Call[]
  /** Sets the response of a path. */
  readonly reply: (path: string, reply: Reply) => void
  /** Adds a signing key to the key set. */
  readonly addKey: (algorithm: string, kid: string) => KeyObject
  /** Signs a JWT of these claims with a key; default times and issuer are valid. */
  readonly sign: (claims: Readonly<Record<string, unknown>>, kid?: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** Responds with a status and a text. */
export const respondingProvider =
  (status: number, text = '', type = 'text/plain', headers: Readonly<Record<string, string>> = {}): Reply =>
  (_call, response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }

/** Never responds. */
export const hangingProvider: Reply = () => {}

interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const newKey = (algorithm: string): KeyPair => {
  if (algorithm.startsWith('ES')) return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

let first: KeyPair | undefined
/** The first key of every provider, shared because RSA keys are slow to create. */
const firstKey = (): KeyPair => (first ??= newKey('RS256'))

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** Starts a provider with the common RSA key `k1`. It ends with the scope. */
export const stubProvider = async (t: Scope, { tls = false } = {}): Promise<StubProvider> => {
  const calls: Call[] = []
  const replies = new Map<string, Reply>()
  const keys = new Map<string, { readonly algorithm: string; readonly key: KeyObject }>()
  const jwks: object[] = []

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const call = { method: request.method ?? '', path, headers: request.headers, body: await bodyOf(request) }
    calls.push(call)
    const reply = replies.get(path) ?? respondingProvider(404, 'no such path')
    if (typeof reply === 'function') reply(call, response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response)
  const server = tls
    ? createTlsServer({ key: pem('server-key.pem'), cert: pem('server.pem') }, listener)
    : createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  t.teardown(close)

  const add = (algorithm: string, kid: string, { privateKey, publicKey }: KeyPair): KeyObject => {
    keys.set(kid, { algorithm, key: privateKey })
    jwks.push({ ...publicKey.export({ format: 'jwk' }), kid })
    return privateKey
  }
  const provider: StubProvider = {
    issuer,
    calls,
    callsOf: path => calls.filter(call => call.path === path),
    reply: (path, reply) => void replies.set(path, reply),
    addKey: (algorithm, kid) => add(algorithm, kid, newKey(algorithm)),
    sign: (claims, kid = 'k1') => {
      const found = keys.get(kid)
      if (!found) throw new Error(`no key ${kid}`)
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: issuer, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: found.algorithm, kid })
        .sign(found.key)
    },
    close
  }
  add('RS256', 'k1', firstKey())
  provider.reply('/.well-known/openid-configuration', {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256']
  })
  provider.reply('/jwks', (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: jwks }))
  })
  return provider
}
