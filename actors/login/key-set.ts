// The public keys of an identity provider: fetched, kept, and fetched again when a token bears one that is
// unknown.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../clock.js'
import { ProviderError, type ProviderHttp } from './provider-http.js'
import { headerOf, verifiedPayload } from './signature.js'
import { isObject } from '../../events/values.js'

interface KnownKey {
  readonly id: string | undefined
  readonly key: KeyObject
}

/** A set that its provider says will stay for longer than this is not fetched again. */
const STAYS_MS = 30_000
/**
 * So many fetches may follow each other; then there is one for every pause. Unknown keys cost a provider no
 * more.
 */
const BURST = 5
const PAUSE_MS = 10_000

const keyOf = (jwk: unknown): KnownKey | undefined => {
  if (!isObject(jwk)) throw new ProviderError('a key is no JSON object')
  const { kty, kid, crv } = jwk
  if (kty === 'oct') return undefined
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP')
    throw new ProviderError(`a key is of the unknown type "${String(kty)}"`)
  // Curves that sign no JWTs of ours: the key is there for something else.
  if (kty === 'OKP' && crv !== 'Ed25519') return undefined
  try {
    return {
      id: typeof kid === 'string' ? kid : undefined,
      key: createPublicKey({ key: { ...jwk }, format: 'jwk' })
    }
  } catch (error) {
    throw new ProviderError(`a key cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Milliseconds for which an answer may be kept, by its headers; 0 when they do not say. */
const lifetime = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number
): number => {
  const maxAge = /max-age=(\d{1,9})/.exec(String(headers['cache-control'] ?? ''))?.[1]
  if (maxAge !== undefined) return Number(maxAge) * 1000
  const expires = Date.parse(String(headers['expires'] ?? ''))
  return Number.isNaN(expires) ? 0 : Math.max(expires - now, 0)
}

/** The keys at one URL. Whoever needs them while they are being fetched shares the fetch. */
export class KeySet {
  #keys: readonly KnownKey[] | undefined
  #staysUntil = 0
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

  /** Fetches the keys. @throws ProviderError */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  /**
   * The payload of a JWT that a key of this set verifies; undefined when none does.
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
    if (this.#staysUntil - now > STAYS_MS) return false
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#allowedAt) / PAUSE_MS)
    this.#allowedAt = now
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }

  // Bounded by the time limit of calls alone: a login that ends early must not take the keys from the others
  // who wait.
  async #fetch(): Promise<void> {
    const { value, answer } = await this.http.object(this.url, this.ca, new AbortController().signal)
    const given: unknown = value['keys'] ?? []
    if (!Array.isArray(given)) throw new ProviderError(`GET ${this.url}: "keys" is no list`)
    this.#keys = given.map(keyOf).filter(key => key !== undefined)
    this.#staysUntil = this.clock.elapsed() + lifetime(answer.headers, this.clock.now())
  }
}
