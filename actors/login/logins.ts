// Verifies credentials with one verifier per auth method, created on first use after a change of the method.
import { Lifecycle, scoped } from 'tsyringe'
import type { AuthMethodRow } from '../../projections/acl/auth-methods.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { AuthConfig } from '../auth-method/config.js'
import { configOf } from '../auth-method/stored-config.js'
import { Clock } from '../clock.js'
import { invalid, ProviderFailed } from '../refusal.js'
import { discover, failedProvider } from './provider.js'
import { jwtVerifier, type Verifier } from './jwt-verifier.js'
import { KeySet } from './key-set.js'
import { kubernetesVerifier } from './kubernetes.js'
import type { OidcFlow } from './oidc.js'
import { ProviderError, ProviderHttp } from './provider-http.js'
import { assign, createActor, fromPromise, setup, type ActorRefFrom } from 'xstate'

/** Queries the provider. `signal` aborts when the login has ended. */
type LoginQuery = (signal: AbortSignal) => Promise<Identity>

interface Input {
  readonly ask: LoginQuery
  /** Milliseconds. */
  readonly limit: number
  /** Begins the error text of a timeout. */
  readonly failure: string
}

type Context = Input & { readonly identity?: Identity; readonly error?: unknown }

const loginMachine = setup({
  types: { context: {} as Context, input: {} as Input },
  actors: { ask: fromPromise<Identity, LoginQuery>(({ input, signal }) => input(signal)) },
  delays: { limit: ({ context }: { readonly context: Context }) => context.limit }
}).createMachine({
  id: 'login',
  context: ({ input }) => input,
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        src: 'ask',
        input: ({ context }: { readonly context: Context }) => context.ask,
        onDone: { target: 'identified', actions: assign({ identity: ({ event }) => event.output }) },
        onError: { target: 'refused', actions: assign({ error: ({ event }) => event.error }) }
      },
      after: {
        limit: {
          target: 'refused',
          actions: assign({
            error: ({ context: { failure, limit } }) =>
              failedProvider(failure, new ProviderError(`the login did not end within ${limit} ms`))
          })
        }
      }
    },
    identified: { type: 'final' },
    refused: { type: 'final' }
  }
})

type LoginActor = ActorRefFrom<typeof loginMachine>

/** Runs one login to its end. @throws errors of the query; Refusal `upstream` after the time limit */
const runLogin = (input: Input, started: (login: LoginActor) => void): Promise<Identity> =>
  new Promise((resolve, reject) => {
    const login = createActor(loginMachine, { input })
    login.subscribe(({ context, status }) => {
      if (status !== 'done') return
      if (context.identity) resolve(context.identity)
      else reject(context.error instanceof Error ? context.error : new Error('the login failed'))
    })
    started(login)
    login.start()
  })

@scoped(Lifecycle.ContainerScoped)
export class Logins {
  /** Each change of a method replaces its row, and with it the verifier. */
  readonly #verifiers = new WeakMap<AuthMethodRow, Verifier>()
  readonly #flows = new WeakMap<AuthMethodRow, OidcFlow>()
  readonly #running = new Set<LoginActor>()

  constructor(
    private readonly http: ProviderHttp,
    private readonly clock: Clock
  ) {}

  get size(): number {
    return this.#running.size
  }

  /**
   * Returns the identity of a credential.
   * @throws Refusal as `Verifier.identify`; `invalid` for a method of type `oidc`, which accepts no credentials
   */
  identify(row: AuthMethodRow, credential: string): Promise<Identity> {
    const verifier = this.#verifierOf(row)
    return verifier.isLocal
      ? verifier.identify(credential, new AbortController().signal)
      : this.run(verifier.failure, signal => verifier.identify(credential, signal))
  }

  /** @throws Refusal `invalid` for a method of another type */
  async oidc(row: AuthMethodRow): Promise<OidcFlow> {
    const known = this.#flows.get(row)
    if (known) return known
    const config = configOf(row.method)
    if (config.type !== 'oidc')
      throw invalid('acl.login.invalid', `GetAuthCodeURL is incompatible with type "${config.type}"`)
    // Loaded on demand: a server without OIDC methods starts faster.
    const { OidcFlow: Flow } = await import('./oidc.js')
    const flow = this.#flows.get(row) ?? new Flow(config, this.http, this.clock)
    this.#flows.set(row, flow)
    return flow
  }

  /** Runs a login that depends on a provider, within the time limit. @param failure begins the error text of a timeout */
  async run(failure: string, ask: (signal: AbortSignal) => Promise<Identity>): Promise<Identity> {
    let actor: LoginActor | undefined
    try {
      return await runLogin({ ask, limit: this.http.limits.timeMs, failure }, login => {
        actor = login
        this.#running.add(login)
      })
    } finally {
      if (actor) this.#running.delete(actor)
    }
  }

  /** Checks that the provider of a Config responds correctly. @throws ProviderFailed `invalid` */
  async checkConfig(config: AuthConfig): Promise<void> {
    if (config.type === 'kubernetes' || config.source.kind === 'static') return
    const { source } = config
    const key = source.kind === 'jwks' ? 'JWKSURL' : 'OIDCDiscoveryURL'
    try {
      if (source.kind === 'jwks') await new KeySet(this.http, this.clock, source.url, source.ca).refresh()
      else await discover(this.http, source, new AbortController().signal)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw new ProviderFailed(
        'acl.auth-method.provider-failed',
        `Invalid Auth Method: error checking ${key}: ${error.message}`,
        error.reason
      )
    }
  }

  async close(): Promise<void> {
    for (const login of this.#running) login.stop()
    await this.http.close()
  }

  #verifierOf(row: AuthMethodRow): Verifier {
    let verifier = this.#verifiers.get(row)
    if (!verifier) this.#verifiers.set(row, (verifier = this.#createVerifier(row)))
    return verifier
  }

  #createVerifier({ method }: AuthMethodRow): Verifier {
    const config = configOf(method)
    switch (config.type) {
      case 'jwt':
        return jwtVerifier(method.Name, config, this.http, this.clock)
      case 'kubernetes':
        return kubernetesVerifier(config, this.http)
      case 'oidc':
        throw invalid(
          'acl.login.invalid',
          'ClaimsFromJWT is incompatible with type "oidc": log in with the OIDC endpoints'
        )
    }
  }
}
