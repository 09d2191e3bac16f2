// Certificates made for one test, where those of test/support/tls are not enough.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from './process.js'

/** A key and a certificate, in PEM. */
export interface Pair {
  readonly key: string
  readonly cert: string
}

/** A new key with a certificate that it signed itself, for this machine. */
export const selfSigned = (t: Scope): Pair => {
  const folder = temporaryFolder(t)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore'
  })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
