// Certificates of single tests, in addition to test/support/tls.
import type { webcrypto } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { temporaryFolder, type Scope } from './process.js'

/** A key and a certificate, in PEM. */
interface Pair {
  readonly key: string
  readonly cert: string
}

interface Signed extends Pair {
  readonly keys: webcrypto.CryptoKeyPair
}

const DAY_MS = 86_400_000
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const THIS_MACHINE = new x509.SubjectAlternativeNameExtension([
  new x509.GeneralName('dns', 'localhost'),
  new x509.GeneralName('ip', '127.0.0.1')
])

interface Signing {
  /** Validity from now on; -1 for an expired certificate. */
  readonly days?: number
  /** True for an authority. */
  readonly isAuthority?: boolean
}

/** Creates a key with a certificate for this machine, which the key of the issuer signs, or its own. */
const certify = async (
  name: string,
  { days = 2, isAuthority = false }: Signing,
  issuer?: Signed
): Promise<Signed> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    subject: name,
    issuer: issuer ? new x509.X509Certificate(issuer.cert).subject : name,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      THIS_MACHINE,
      // The keys distinguish issuers of one name.
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create((issuer?.keys ?? keys).publicKey)
    ]
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
    cert: `${certificate.toString('pem')}\n`,
    keys
  }
}

/** Creates a key with a self-signed certificate for this machine. */
export const selfSigned = (): Promise<Pair> => certify('CN=localhost', { isAuthority: true })

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

export class Authority {
  #signed = 0

  private constructor(
    private readonly folder: string,
    private readonly own: Signed,
    /** What is shown with each certificate that it signs: none of a root. */
    private readonly shown = ''
  ) {
    writeFileSync(this.file, own.cert)
  }

  /** Creates an authority. All have the same name, and differ only by their keys. */
  static async create(t: Scope): Promise<Authority> {
    return new Authority(temporaryFolder(t), await certify('CN=ca', { isAuthority: true }))
  }

  /** Path of its own certificate. */
  get file(): string {
    return join(this.folder, 'ca.pem')
  }

  /** Its own certificate, in PEM. */
  get certificate(): string {
    return readFileSync(this.file, 'utf8')
  }

  /** Creates a key and a certificate for this machine, followed by the intermediate certificates. */
  async sign(signing: Signing = {}): Promise<CertificateFiles> {
    const place = join(this.folder, String(++this.#signed))
    const { key, cert } = await certify(`CN=server ${this.#signed}`, signing, this.own)
    const files = { cert_file: `${place}.pem`, key_file: `${place}-key.pem` }
    writeFileSync(files.cert_file, `${cert}${this.shown}`)
    writeFileSync(files.key_file, key)
    return files
  }

  /** Creates an authority that this one has signed. */
  async intermediate(t: Scope): Promise<Authority> {
    const own = await certify(`CN=authority ${++this.#signed}`, { isAuthority: true }, this.own)
    return new Authority(temporaryFolder(t), own, own.cert)
  }
}
