// Certificates of a cluster that `annals cluster init` creates: one authority, and one certificate per machine for all its connections.
import { createHash, X509Certificate, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import { AUTHORITY, type CertifiedKey } from './cluster-authority.js'

/** Ten years: an expired certificate would stop the cluster. See `certificate-renewal.ts`. */
const VALID_DAYS = 3650
const DAY_MS = 86_400_000
/** Before now, for machines whose clocks are behind. */
const BACKDATE_MS = 3_600_000
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** A private key in PEM, and a request for its certificate. */
interface KeyWithRequest {
  readonly key: string
  readonly request: string
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`

const importKey = (pem: string): Promise<webcrypto.CryptoKey> =>
  crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), ALGORITHM, true, ['sign'])

const validity = (now: number) => ({
  notBefore: new Date(now - BACKDATE_MS),
  notAfter: new Date(now + VALID_DAYS * DAY_MS)
})

/** Creates an authority that signs nothing but the certificates of one cluster. @param now epoch ms */
export const createAuthority = async (now = Date.now()): Promise<CertifiedKey> =>
  certifyAuthority(await newKeys(), now)

/** Returns a new certificate of an authority for its key. @param now epoch ms */
export const renewAuthority = async (
  { certificate, key }: CertifiedKey,
  now: number
): Promise<CertifiedKey> => {
  const publicKey = await new x509.X509Certificate(certificate).publicKey.export()
  return certifyAuthority({ publicKey, privateKey: await importKey(key) }, now)
}

const certifyAuthority = async (keys: webcrypto.CryptoKeyPair, now: number): Promise<CertifiedKey> => {
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now),
    name: [{ CN: [AUTHORITY] }],
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
    ]
  })
  return { certificate: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** Creates a private key, which stays on this machine, and a request for its certificate. */
export const createRequest = async (name: string): Promise<KeyWithRequest> => {
  const keys = await newKeys()
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM
  })
  return { key: await pemOf(keys.privateKey), request: `${request.toString('pem')}\n` }
}

/** Returns a digest of the public key of a request; undefined for no valid request: its signature proves the private key. */
export const keyOfRequest = async (request: string): Promise<string | undefined> => {
  try {
    const parsed = new x509.Pkcs10CertificateRequest(request)
    if (!(await parsed.verify())) return undefined
    return createHash('sha256').update(Buffer.from(parsed.publicKey.rawData)).digest('hex')
  } catch {
    return undefined
  }
}

/**
 * Signs a request, for a server and a client. Only the public key is taken from it.
 * @param hosts IP addresses and host names of the machine
 */
export const signRequest = async (
  authority: CertifiedKey,
  request: string,
  name: string,
  hosts: readonly string[]
): Promise<string> => {
  const names = hosts.map(host => new x509.GeneralName(isIP(host) === 0 ? 'dns' : 'ip', host))
  const publicKey = await new x509.Pkcs10CertificateRequest(request).publicKey.export()
  const subject = [{ CN: [name] }]
  return certify(authority, { publicKey, subject, names, now: Date.now() })
}

/** Returns a new certificate for the key and the names of one. @param text PEM, whose first certificate counts. @param now epoch ms */
export const renewCertificate = async (
  authority: CertifiedKey,
  text: string,
  now: number
): Promise<string> => {
  const former = new x509.X509Certificate(x509.PemConverter.decodeFirst(text))
  const { subject } = former
  const names = former.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? []
  return certify(authority, { publicKey: await former.publicKey.export(), subject, names, now })
}

interface Subject {
  readonly publicKey: webcrypto.CryptoKey
  readonly subject: x509.X509CertificateCreateParamsName
  readonly names: readonly x509.GeneralName[]
  /** Epoch ms. */
  readonly now: number
}

const certify = async (
  authority: CertifiedKey,
  { publicKey, subject, names, now }: Subject
): Promise<string> => {
  const issuer = new x509.X509Certificate(authority.certificate)
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now),
    notAfter: issuer.notAfter,
    subject,
    issuer: issuer.subject,
    publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth
      ]),
      new x509.SubjectAlternativeNameExtension([...names]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey)
    ]
  })
  return `${certificate.toString('pem')}\n`
}

/** Returns the SHA-256 of a certificate in base64url, which a join token contains. */
export const fingerprintOf = (certificate: string): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url')
