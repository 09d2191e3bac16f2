// The public keys of an identity provider: cached, and fetched again when a token has an unknown key ID.
import { messageOf } from '../../events/errors.js'
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../clock.js'
import { ProviderError, type ProviderHttp } from './provider-http.js'
import { headerOf, verifiedPayload } from './signature.js'
import { isObject } from '../../events/values.js'

interface KnownKey {
  readonly id: string | undefined
  readonly key: KeyObject
}

/** A set with a longer remaining lifetime is not fetched again. */
const MIN_REMAINING_MS = 30_000
/** Fetches in a row; then each pause allows one more, so that unknown key IDs do not overload a provider. */
const BURST = 5
const PAUSE_MS = 10_000

const keyOf = (jwk: unknown): KnownKey | undefined => {
  if (!isObject(jwk)) throw new ProviderError('a key is no JSON object')
  const { kty, kid, crv } = jwk
  if (kty === 'oct') return undefined
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP')
    throw new ProviderError(`a key is of the unknown type "${String(kty)}"`)
  // Keys on other curves sign no supported JWTs.
  if (kty === 'OKP' && crv !== 'Ed25519') return undefined
  try {
    return {
      id: typeof kid === 'string' ? kid : undefined,
      key: createPublicKey({ key: { ...jwk }, format: 'jwk' })
    }
  } catch (error) {
    throw new ProviderError(`a key cannot be read: ${messageOf(error)}`)
  }
}

/** Returns how long a response may be cached by its headers, ms; 0 when unknown. */
const lifetime = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number
): number => {
  const maxAge = /max-age=(\d{1,9})/.exec(String(headers['cache-control'] ?? ''))?.[1]
  if (maxAge !== undefined) return Number(maxAge) * 1000
  const expires = Date.parse(String(headers['expires'] ?? ''))
  return Number.isNaN(expires) ? 0 : Math.max(expires - now, 0)
}

/** The keys at one URL. Concurrent callers share one fetch. */
export class KeySet {
  #keys: readonly KnownKey[] | undefined
  #validUntil = 0
  #fetching: Promise<void> | undefined
  #allowance = BURST
  #allowedAt: number

  constructor(
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
    private readonly url: string,
    private readonly ca: string
  ) {
    this.#allowedAt = clock.elapsed()
  }

  /** @throws ProviderError */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  /**
   * Returns the payload of a JWT that a key of this set verifies; undefined when none does.
   * @throws ProviderError when the keys are needed and cannot be fetched
   */
  async verify(token: string, algorithms: readonly string[]): Promise<string | undefined> {
    if (!this.#keys) await this.refresh()
    const payload = await verifiedPayload(token, this.#candidates(token), algorithms)
    if (payload !== undefined || !this.#mayRefresh()) return payload
    await this.refresh()
    return verifiedPayload(token, this.#candidates(token), algorithms)
  }

  #candidates(token: string): KeyObject[] {
    const { keyId } = headerOf(token)
    const keys = this.#keys ?? []
    return keys.filter(({ id }) => keyId === undefined || id === keyId).map(({ key }) => key)
  }

  #mayRefresh(): boolean {
    const now = this.clock.elapsed()
    if (this.#validUntil - now > MIN_REMAINING_MS) return false
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#allowedAt) / PAUSE_MS)
    this.#allowedAt = now
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }

  // Only the time limit of calls ends the fetch: other logins wait for the keys too.
  async #fetch(): Promise<void> {
    const { value, response } = await this.http.object(this.url, this.ca, new AbortController().signal)
    const keys: unknown = value['keys'] ?? []
    if (!Array.isArray(keys)) throw new ProviderError(`GET ${this.url}: "keys" is no list`)
    this.#keys = keys.map(keyOf).filter(key => key !== undefined)
    this.#validUntil = this.clock.elapsed() + lifetime(response.headers, this.clock.now())
  }
}
