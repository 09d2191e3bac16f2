// An auth method of type `oidc` against a provider that the test commands, and the steps of a login with it.
import type { TestResponse } from '../../../../support/client.js'
import type { Scope } from '../../../../support/process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../../support/server.js'
import { stubProvider, type StubProvider } from '../../../../support/stub-provider.js'

export const REDIRECT = 'http://127.0.0.1:8550/oidc/callback'

/** The method `m` of these tests. */
export const methodBody = (issuer: string, config: object = {}, method: object = {}) => ({
  Name: 'm',
  Type: 'oidc',
  MaxTokenTTL: '5m',
  ...method,
  Config: {
    OIDCDiscoveryURL: issuer,
    OIDCClientID: 'basic',
    OIDCClientSecret: 'the client secret',
    AllowedRedirectURIs: [REDIRECT, 'https://app.example/cb'],
    ClaimMappings: { sub: 'sub', dept: 'dept', level: 'level', name: 'name', email: 'email' },
    ListClaimMappings: { groups: 'groups' },
    ...config
  }
})

/** What a login's URL says. */
export interface Begun {
  readonly url: URL
  readonly state: string
  readonly nonce: string
}

export interface Oidc {
  readonly server: TestServer
  readonly provider: StubProvider
  readonly put: (config?: object, method?: object) => Promise<TestResponse>
  readonly rule: (rule?: object) => Promise<TestResponse>
  /** Asks for a URL. @throws Error when it is refused */
  readonly begin: (body?: object) => Promise<Begun>
  readonly callback: (body: object) => Promise<TestResponse>
  /** Makes the token endpoint give an ID token of these claims. */
  readonly give: (claims: Readonly<Record<string, unknown>>, kid?: string) => Promise<void>
  /** A whole login whose ID token has these claims besides those it needs. */
  readonly login: (claims?: Readonly<Record<string, unknown>>, body?: object) => Promise<TestResponse>
}

/** A server, a provider, the method `m` and a rule that gives the service `web`. */
export const oidc = async (t: Scope, options: TestServerOptions = {}): Promise<Oidc> => {
  const [server, provider] = await Promise.all([serverInProcess(t, options), stubProvider(t)])
  const post = (path: string, body: unknown): Promise<TestResponse> =>
    server.send('POST', `/v1/acl/oidc/${path}`, { token: undefined, body })
  const kit: Oidc = {
    server,
    provider,
    put: (config, method) =>
      server.send('PUT', '/v1/acl/auth-method', { body: methodBody(provider.issuer, config, method) }),
    rule: rule =>
      server.send('PUT', '/v1/acl/binding-rule', {
        body: { AuthMethod: 'm', BindType: 'service', BindName: 'web', ...rule }
      }),
    begin: async body => {
      const answer = await post('auth-url', { AuthMethod: 'm', RedirectURI: REDIRECT, ...body })
      if (answer.status !== 200) throw new Error(`auth-url: ${answer.status} ${answer.text}`)
      const { AuthURL }: { readonly AuthURL: string } = JSON.parse(answer.text)
      const url = new URL(AuthURL)
      return {
        url,
        state: url.searchParams.get('state') ?? '',
        nonce: url.searchParams.get('nonce') ?? ''
      }
    },
    callback: body => post('callback', { AuthMethod: 'm', Code: 'code', ...body }),
    give: async (claims, kid) => {
      const id_token = await provider.sign({ aud: 'basic', sub: 'alice', ...claims }, kid)
      provider.reply('/token', { access_token: 'access', token_type: 'Bearer', id_token })
    },
    login: async (claims, body) => {
      const { state, nonce } = await kit.begin()
      await kit.give({ nonce, ...claims })
      return kit.callback({ State: state, ...body })
    }
  }
  provider.reply('/userinfo', { sub: 'alice' })
  const made = [await kit.put(), await kit.rule()].find(({ status }) => status !== 200)
  if (made) throw new Error(`${made.status} ${made.text}`)
  return kit
}

/** A field of a JSON answer. */
export const field = (answer: TestResponse, name: string): unknown =>
  Reflect.get(JSON.parse(answer.text), name)
