// Certificates of single tests, in addition to test/support/tls.
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from './process.js'

/** A key and a certificate, in PEM. */
interface Pair {
  readonly key: string
  readonly cert: string
}

const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const THIS_MACHINE = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

const read = (key: string, cert: string): Pair => ({
  key: readFileSync(key, 'utf8'),
  cert: readFileSync(cert, 'utf8')
})

/** Creates a key with a self-signed certificate for this machine. */
export const selfSigned = (t: Scope): Pair => {
  const folder = temporaryFolder(t)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', THIS_MACHINE]
  openssl('req', '-x509', ...NEW_KEY, '-days', '2', ...names, '-keyout', key, '-out', cert)
  return read(key, cert)
}

interface Signing {
  /** Validity from now on; -1 for an expired certificate. */
  readonly days?: number
  /** True for an authority. */
  readonly isAuthority?: boolean
}

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

export class Authority {
  #signed = 0

  private constructor(
    private readonly folder: string,
    private readonly own: CertificateFiles /** What is shown with each certificate that it signs: none of a root. */,
    private readonly shown = ''
  ) {}

  /** Creates an authority. All have the same name, and differ only by their keys. */
  static create(t: Scope): Authority {
    const folder = temporaryFolder(t)
    const own = { cert_file: join(folder, 'ca.pem'), key_file: join(folder, 'ca-key.pem') }
    const { cert_file: cert, key_file: key } = own
    openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', '/CN=ca', '-keyout', key, '-out', cert)
    return new Authority(folder, own)
  }

  /** Path of its own certificate. */
  get file(): string {
    return this.own.cert_file
  }

  /** Its own certificate, in PEM. */
  get certificate(): string {
    return readFileSync(this.file, 'utf8')
  }

  /** Creates a key and a certificate for this machine, followed by the intermediate certificates. */
  sign({ days = 2, isAuthority = false }: Signing = {}): CertificateFiles {
    const place = join(this.folder, String(++this.#signed))
    const [key, request, extensions, cert] = [
      `${place}-key.pem`,
      `${place}.csr`,
      `${place}.ext`,
      `${place}.pem`
    ] as const
    const subject = `/CN=${isAuthority ? 'authority' : 'server'} ${this.#signed}`
    openssl('req', '-new', ...NEW_KEY, '-subj', subject, '-keyout', key, '-out', request)
    writeFileSync(extensions, `${THIS_MACHINE}\nbasicConstraints=critical,CA:${isAuthority}\n`)
    const by = ['-CA', this.own.cert_file, '-CAkey', this.own.key_file, '-CAcreateserial']
    const what = ['-days', String(days), '-extfile', extensions, '-out', cert]
    openssl('x509', '-req', '-in', request, ...by, ...what)
    appendFileSync(cert, this.shown)
    return { cert_file: cert, key_file: key }
  }

  /** Creates an authority that this one has signed. */
  intermediate(t: Scope): Authority {
    const own = this.sign({ isAuthority: true })
    return new Authority(temporaryFolder(t), own, readFileSync(own.cert_file, 'utf8'))
  }
}
