// Keys and certificates in PEM, as Config has them (spec: auth.md §2).
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { messageOf } from '../../events/errors.js'
import { ConfigError } from './config-values.js'

interface PemBlock {
  readonly label: string
  /** With both markers. */
  readonly text: string
}

const MARKER = /-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----/g

/** Yields the complete blocks of a text. Linear in it, whatever markers it has. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let begun: { readonly label: string; readonly at: number } | undefined
  for (const { 0: marker, 1: kind, 2: label = '', index } of text.matchAll(MARKER)) {
    if (kind === 'END' && begun?.label === label)
      yield { label, text: text.slice(begun.at, index + marker.length) }
    begun = kind === 'BEGIN' ? { label, at: index } : undefined
  }
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512']
}
/** No RSA algorithm of JWTs allows a shorter modulus (RFC 7518 §3.3). */
const MIN_RSA_BITS = 2048

/** Returns the algorithms of the JWT signatures that a key can verify (spec: auth.md §2.1); none for unsupported and weak keys. */
export const algorithmsOf = (key: KeyObject): readonly string[] => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'rsa') return (details?.modulusLength ?? 0) < MIN_RSA_BITS ? [] : RSA
  if (type === 'ec') return BY_CURVE[details?.namedCurve ?? ''] ?? []
  return type === 'ed25519' ? ['EdDSA'] : []
}

const keyOf = ({ label, text }: PemBlock): KeyObject | undefined => {
  if (label === 'PUBLIC KEY') return createPublicKey(text)
  if (label === 'CERTIFICATE') return new X509Certificate(text).publicKey
  return undefined
}

/** Returns the first public key in a text: SPKI or X.509, of RSA from 2048 bits, P-256, P-384, P-521 or Ed25519. @throws ConfigError that calls the text `name` */
export const publicKeyOf = (name: string, text: string): KeyObject => {
  const [found] = pemBlocks(text)
  let key: KeyObject | undefined
  try {
    key = found && keyOf(found)
  } catch (error) {
    throw new ConfigError(`error parsing public key ${name}: ${messageOf(error)}`)
  }
  if (!key || algorithmsOf(key).length === 0)
    throw new ConfigError(
      `error parsing public key ${name}: data does not contain any valid RSA, ECDSA, or ED25519 public keys; an RSA key has at least 2048 bits`
    )
  return key
}

/** Checks that a text holds at least one certificate and all are readable. @throws ConfigError that calls the text `name` */
export const checkCertificates = (name: string, text: string): void => {
  const certificates = [...pemBlocks(text)].filter(({ label }) => label === 'CERTIFICATE')
  if (certificates.length === 0)
    throw new ConfigError(`error parsing ${name}: data does not contain any valid RSA or ECDSA certificates`)
  for (const certificate of certificates)
    try {
      if (!new X509Certificate(certificate.text).publicKey) throw new Error('a certificate has no public key')
    } catch (error) {
      throw new ConfigError(`error parsing ${name}: ${messageOf(error)}`)
    }
}
