// Keys and certificates in PEM, as Config has them (spec: auth.md §2).
import { createPublicKey, X509Certificate, type KeyObject } from 'node:crypto'
import { ConfigError } from './config-values.js'

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

const isUsable = (key: KeyObject): boolean => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  return type === 'rsa' || type === 'ed25519' || (type === 'ec' && CURVES.includes(details?.namedCurve ?? ''))
}

const keyOf = (label: string | undefined, block: string): KeyObject | undefined => {
  if (label === 'PUBLIC KEY') return createPublicKey(block)
  if (label === 'CERTIFICATE') return new X509Certificate(block).publicKey
  return undefined
}

/**
 * The public key in a text: its first block, an SPKI key or an X.509 certificate, of RSA, P-256, P-384, P-521
 * or Ed25519.
 * @throws ConfigError with the reason; `name` is what the text is called in it
 */
export const publicKeyOf = (name: string, text: string): KeyObject => {
  const found = BLOCK.exec(text)
  let key: KeyObject | undefined
  try {
    key = keyOf(found?.[1], found?.[0] ?? '')
  } catch (error) {
    throw new ConfigError(`error parsing public key ${name}: ${error instanceof Error ? error.message : ''}`)
  }
  if (!key || !isUsable(key))
    throw new ConfigError(
      `error parsing public key ${name}: data does not contain any valid RSA, ECDSA, or ED25519 public keys`
    )
  return key
}

/**
 * Checks that a text holds at least one certificate and that all of them can be read.
 * @throws ConfigError; `name` is what the text is called in it
 */
export const checkCertificates = (name: string, text: string): void => {
  const blocks = text.match(CERTIFICATE) ?? []
  if (blocks.length === 0)
    throw new ConfigError(`error parsing ${name}: data does not contain any valid RSA or ECDSA certificates`)
  for (const block of blocks)
    try {
      if (!new X509Certificate(block).publicKey) throw new Error('a certificate has no public key')
    } catch (error) {
      throw new ConfigError(`error parsing ${name}: ${error instanceof Error ? error.message : ''}`)
    }
}
