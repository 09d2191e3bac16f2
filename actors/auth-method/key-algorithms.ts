// The algorithms of the JWT signatures that a public key can verify (spec: auth.md §2.1).
import type { KeyObject } from 'node:crypto'

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512']
}
/** No RSA algorithm of JWTs allows a shorter modulus (RFC 7518 §3.3). */
const MIN_RSA_BITS = 2048

/** Returns the algorithms of a key; none for unsupported and weak keys. */
export const algorithmsOf = (key: KeyObject): readonly string[] => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'rsa') return (details?.modulusLength ?? 0) < MIN_RSA_BITS ? [] : RSA
  if (type === 'ec') return BY_CURVE[details?.namedCurve ?? ''] ?? []
  return type === 'ed25519' ? ['EdDSA'] : []
}
