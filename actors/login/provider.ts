// One discovered identity provider: its description and its keys, fetched when they are first needed and then
// kept.
import type { KeySource } from '../auth-method/config.js'
import type { Clock } from '../clock.js'
import { KeySet } from './key-set.js'
import { ProviderFailed } from './login-denied.js'
import { ProviderError, type ProviderHttp } from './provider-http.js'

/** What a provider says of itself; only what it must say is known to be there. */
interface ProviderMetadata {
  readonly issuer: string
  readonly jwks_uri: string
  readonly [name: string]: unknown
}

/** Only a provider says who the issuer is, so that the caller may read it. */
const anotherIssuer = (expected: string, given: unknown): ProviderError => {
  const text = `oidc: issuer did not match the issuer returned by provider, expected "${expected}" got "${String(given)}"`
  return typeof given === 'string' ? new ProviderError(text, text) : new ProviderError(text)
}

/**
 * Fetches the document of an issuer, which must name itself in it exactly as configured.
 * @throws ProviderError
 */
export const discover = async (
  http: ProviderHttp,
  { issuer, ca }: KeySource & { readonly kind: 'discovery' },
  signal: AbortSignal
): Promise<ProviderMetadata> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { value } = await http.object(url, ca, signal)
  if (value['issuer'] !== issuer) throw anotherIssuer(issuer, value['issuer'])
  const { jwks_uri: keys } = value
  if (typeof keys !== 'string' || !URL.canParse(keys))
    throw new ProviderError(`GET ${url}: "jwks_uri" is missing or no URL`)
  return { ...value, issuer, jwks_uri: keys }
}

/** A description older than this is fetched again; the old one serves meanwhile, and while that fails. */
const STALE_MS = 3_600_000
/** How long after a fetch of a new description the next one is tried, at the earliest. */
const PAUSE_MS = 10_000

interface Known {
  readonly metadata: ProviderMetadata
  readonly keys: KeySet
  readonly at: number
}

export class Provider {
  #known: Known | undefined
  #triedAt = -Infinity
  #fetching: Promise<Known> | undefined

  constructor(
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
    private readonly source: KeySource & { readonly kind: 'discovery' }
  ) {}

  /** What the provider says of itself. @throws ProviderError */
  async metadata(): Promise<ProviderMetadata> {
    return (await this.#current()).metadata
  }

  /** As `KeySet.verify`. @throws ProviderError */
  async verify(token: string, algorithms: readonly string[]): Promise<string | undefined> {
    return (await this.#current()).keys.verify(token, algorithms)
  }

  async #current(): Promise<Known> {
    const known = this.#known
    if (!known) return this.#refresh()
    const now = this.clock.elapsed()
    // Nobody's login waits for this: a provider that hangs or is down is known well enough from before.
    if (now - known.at >= STALE_MS && now - this.#triedAt >= PAUSE_MS) this.#refresh().catch(() => known)
    return known
  }

  /** Whoever needs the description while it is being fetched shares the fetch. @throws ProviderError */
  #refresh(): Promise<Known> {
    this.#triedAt = this.clock.elapsed()
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #fetch(): Promise<Known> {
    const metadata = await discover(this.http, this.source, new AbortController().signal)
    const before = this.#known
    const keys =
      before?.metadata.jwks_uri === metadata.jwks_uri
        ? before.keys
        : new KeySet(this.http, this.clock, metadata.jwks_uri, this.source.ca)
    this.#known = { metadata, keys, at: this.clock.elapsed() }
    return this.#known
  }
}

/** The refusal of a login for which a provider failed. */
export const failedProvider = (what: string, { message, reason }: ProviderError): ProviderFailed =>
  new ProviderFailed('upstream', `${what}: ${message}`, reason)

/** The result of calls to a provider. @throws ProviderFailed in place of a ProviderError */
export const fromProvider = async <T>(what: string, calls: Promise<T>): Promise<T> => {
  try {
    return await calls
  } catch (error) {
    if (error instanceof ProviderError) throw failedProvider(what, error)
    throw error
  }
}
