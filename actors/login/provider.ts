// One discovered identity provider, whose metadata and keys are fetched on first use and cached.
import { recovery } from '../../events/errors.js'
import { isHttpUrl, type KeySource } from '../auth-method/config.js'
import type { Clock } from '../clock.js'
import { KeySet } from './key-set.js'
import { ProviderFailed } from '../refusal.js'
import { ProviderError, type ProviderHttp } from './provider-http.js'

/** Metadata of a provider; only the required fields are certain. */
interface ProviderMetadata {
  readonly issuer: string
  readonly jwks_uri: string
  readonly [name: string]: unknown
}

/** Only a provider names an issuer, so the caller may read it. */
const anotherIssuer = (expected: string, actual: unknown): ProviderError => {
  const text = `oidc: issuer did not match the issuer returned by provider, expected "${expected}" got "${String(actual)}"`
  return typeof actual === 'string' ? new ProviderError(text, text) : new ProviderError(text)
}

/** The issuer of the metadata is the configured one, so the caller may read it. */
const withoutEndpoint = (url: string, name: string): ProviderError => {
  const text = `GET ${url}: "${name}" is not a URL of http or https`
  return new ProviderError(text, text)
}

/** Fetches metadata, which must name exactly the configured issuer and the endpoints. @throws ProviderError */
export const discover = async (
  http: ProviderHttp,
  { issuer, ca, endpoints }: KeySource & { readonly kind: 'discovery' },
  signal: AbortSignal
): Promise<ProviderMetadata> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { value } = await http.object(url, ca, signal)
  if (value['issuer'] !== issuer) throw anotherIssuer(issuer, value['issuer'])
  const { jwks_uri: keys } = value
  if (!isHttpUrl(keys)) throw withoutEndpoint(url, 'jwks_uri')
  for (const name of endpoints) if (!isHttpUrl(value[name])) throw withoutEndpoint(url, name)
  return { ...value, issuer, jwks_uri: keys }
}

/** Age at which metadata is refreshed in the background; the old metadata serves until that succeeds. */
const STALE_MS = 3_600_000
/** Minimum time between two refreshes. */
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

  /** @throws ProviderError */
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
    // Logins do not wait for the refresh: a provider that hangs or is down is already known.
    if (now - known.at >= STALE_MS && now - this.#triedAt >= PAUSE_MS) this.#refresh().catch(() => known)
    return known
  }

  /** Concurrent callers share one fetch. @throws ProviderError */
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

export const failedProvider = (failure: string, { message, reason }: ProviderError): ProviderFailed =>
  new ProviderFailed('acl.login.upstream-failed', `${failure}: ${message}`, reason)

/** Converts a ProviderError of a call. @throws ProviderFailed */
export const fromProvider = <T>(failure: string, calls: Promise<T>): Promise<T> =>
  calls.catch(
    recovery(ProviderError, error => {
      throw failedProvider(failure, error)
    })
  )
