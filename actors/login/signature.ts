// Signatures of JWTs (spec: auth.md §2.1).
import type { KeyObject } from 'node:crypto'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { compactVerify } from 'jose/jws/compact/verify'
import { algorithmsOf } from '../auth-method/public-keys.js'
import { invalid } from '../refusal.js'

const THREE_PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/

interface TokenHeader {
  readonly algorithm: string
  readonly keyId: string | undefined
}

/** Reads the header of a compact JWT unverified. @throws Refusal `invalid` for a malformed JWT */
export const headerOf = (token: string): TokenHeader => {
  if (!THREE_PARTS.test(token))
    throw invalid('acl.login.invalid', 'Bad request: BearerToken is not a JWT of three parts')
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    return { algorithm: typeof alg === 'string' ? alg : '', keyId: typeof kid === 'string' ? kid : undefined }
  } catch {
    throw invalid('acl.login.invalid', 'Bad request: BearerToken has no header that can be read')
  }
}

/** Returns the payload of a JWT that a fitting key verifies, or undefined. Its algorithm must be one of `algorithms` unless that is empty. */
export const verifiedPayload = async (
  token: string,
  keys: Iterable<KeyObject>,
  algorithms: readonly string[]
): Promise<string | undefined> => {
  const { algorithm } = headerOf(token)
  if (algorithms.length > 0 && !algorithms.includes(algorithm)) return undefined
  for (const key of keys) {
    if (!algorithmsOf(key).includes(algorithm)) continue
    try {
      const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: [algorithm] })
      if (protectedHeader.crit === undefined) return new TextDecoder().decode(payload)
    } catch (error) {
      if (!(error instanceof JOSEError)) throw error
    }
  }
  return undefined
}
