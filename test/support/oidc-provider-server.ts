// A real OpenID provider, npm oidc-provider, on loopback, and a browser that signs in there (spec: oidc-cases.md §0).
import { createServer, type IncomingMessage } from 'node:http'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import OpenIdProvider from 'oidc-provider'
import type { Scope } from './process.js'

/** Secret of every client, which must be encoded in HTTP Basic. */
export const CLIENT_SECRET = 'a secret: with + and % and &='
/** A client whose ID must be encoded as well. */
export const ODD_CLIENT = 'odd: client+%41 &='

interface OidcProvider {
  readonly issuer: string
  /** Method and path of every request, with its body. */
  readonly calls: string[]
  /** Signs in at the URL, and returns the redirect target. */
  readonly visit: (url: URL, login?: string) => Promise<URL>
  /** Opens the URL and declines to sign in. */
  readonly decline: (url: URL) => Promise<URL>
}

const jwk = (kid: string, alg: string, key: ReturnType<typeof generateKeyPairSync>): object => ({
  ...key.privateKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig'
})

const jwks = {
  keys: [
    jwk('r', 'RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })),
    jwk('e', 'ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    jwk('d', 'EdDSA', generateKeyPairSync('ed25519'))
  ]
}

const client = (client_id: string, more: object = {}): object => ({
  client_id,
  client_secret: CLIENT_SECRET,
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/oidc/callback', 'http://127.0.0.1/ui/oidc/callback'],
  ...more
})

const configuration = {
  jwks,
  clients: [
    client('basic'),
    client('post', { token_endpoint_auth_method: 'client_secret_post' }),
    client('es', { id_token_signed_response_alg: 'ES256' }),
    client('ed', { id_token_signed_response_alg: 'EdDSA' }),
    client('pkce'),
    client('short'),
    client(ODD_CLIENT)
  ],
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
  features: { devInteractions: { enabled: true } },
  pkce: { required: (_context: unknown, { clientId }: { readonly clientId: string }) => clientId === 'pkce' },
  claims: { openid: ['sub', 'groups', 'dept', 'level'], profile: ['name'], email: ['email'] },
  ttl: {
    AuthorizationCode: (_context: unknown, _code: unknown, { clientId }: { readonly clientId: string }) =>
      clientId === 'short' ? 1 : 60
  },
  findAccount: (_context: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({
      sub,
      groups: ['dev', 'ops'],
      dept: 'Eng',
      level: 7,
      name: 'Alice Example',
      email: `${sub}@example.com`
    })
  })
}

/** Fetches a page with the browser's cookies. */
class Browser {
  readonly #cookies = new Map<string, string>()

  async fetch(url: URL, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {})
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }
}

const visit = async (issuer: string, start: URL, login: string): Promise<URL> => {
  const browser = new Browser()
  const forms = [{ prompt: 'login', login, password: 'x' }, { prompt: 'consent' }]
  let url = start
  let answer = await browser.fetch(url)
  for (let step = 0; step < 20; step++) {
    const location = answer.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      if (url.origin !== issuer) return url
      answer = await browser.fetch(url)
      continue
    }
    const [, action] = /action="([^"]+)"/.exec(await answer.text()) ?? []
    const form = forms.shift()
    if (action === undefined || !form) throw new Error(`stuck at ${url.href}: ${answer.status}`)
    url = new URL(action, url)
    answer = await browser.fetch(url, form)
  }
  throw new Error('too many steps')
}

const decline = async (issuer: string, start: URL): Promise<URL> => {
  const browser = new Browser()
  let url = start
  for (let step = 0; step < 10; step++) {
    const answer = await browser.fetch(url)
    const to = answer.headers.get('location') ?? /href="([^"]+\/abort)"/.exec(await answer.text())?.[1]
    if (to === undefined) throw new Error(`stuck at ${url.href}: ${answer.status}`)
    url = new URL(to, url)
    if (url.origin !== issuer) return url
  }
  throw new Error('too many steps')
}

/** Starts a provider. It ends with the scope. */
export const oidcProvider = async (t: Scope): Promise<OidcProvider> => {
  const calls: string[] = []
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const handle = new OpenIdProvider(issuer, configuration).callback()
  server.on('request', (request: IncomingMessage, response) => {
    calls.push(`${request.method} ${request.url?.split('?')[0]}`)
    handle(request, response)
  })
  return {
    issuer,
    calls,
    visit: (url, login = 'alice') => visit(issuer, url, login),
    decline: url => decline(issuer, url)
  }
}
