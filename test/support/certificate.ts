// Certificates made for one test, where those of test/support/tls are not enough.
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
  void execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const THIS_MACHINE = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

const read = (key: string, cert: string): Pair => ({
  key: readFileSync(key, 'utf8'),
  cert: readFileSync(cert, 'utf8')
})

/** A new key with a certificate that it signed itself, for this machine. */
export const selfSigned = (t: Scope): Pair => {
  const folder = temporaryFolder(t)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', THIS_MACHINE]
  openssl('req', '-x509', ...NEW_KEY, '-days', '2', ...names, '-keyout', key, '-out', cert)
  return read(key, cert)
}

/** What a certificate is signed for. */
interface Signing {
  /** From now on; one of -1 has expired. */
  readonly days?: number
  /** Lets it sign others. */
  readonly isAuthority?: boolean
}

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

/** One that signs certificates. */
export class Authority {
  #signed = 0

  private constructor(
    private readonly folder: string,
    private readonly own: CertificateFiles /** What is shown with each certificate that it signs: none of a root. */,
    private readonly shown = ''
  ) {}

  /** A new one. All are called the same: what tells them apart is their key. */
  static create(t: Scope): Authority {
    const folder = temporaryFolder(t)
    const own = { cert_file: join(folder, 'ca.pem'), key_file: join(folder, 'ca-key.pem') }
    const { cert_file: cert, key_file: key } = own
    openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', '/CN=ca', '-keyout', key, '-out', cert)
    return new Authority(folder, own)
  }

  /** The path of its own certificate. */
  get file(): string {
    return this.own.cert_file
  }

  /** Its own certificate, in PEM. */
  get certificate(): string {
    return readFileSync(this.file, 'utf8')
  }

  /** A new key, with a certificate for this machine, followed by those that it needs besides that of the root. */
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

  /** An authority that this one has signed. */
  intermediate(t: Scope): Authority {
    const own = this.sign({ isAuthority: true })
    return new Authority(temporaryFolder(t), own, readFileSync(own.cert_file, 'utf8'))
  }
}
