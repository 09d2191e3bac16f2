// Signatures of JWTs (spec: auth.md §2.1).
import type { KeyObject } from 'node:crypto'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { compactVerify } from 'jose/jws/compact/verify'
import { invalid } from '../refusal.js'

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512']
}
const THREE_PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/

/** Returns the algorithms of a key; none for unsupported keys. */
const algorithmsOf = (key: KeyObject): readonly string[] => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'rsa') return RSA
  if (type === 'ec') return BY_CURVE[details?.namedCurve ?? ''] ?? []
  return type === 'ed25519' ? ['EdDSA'] : []
}

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
