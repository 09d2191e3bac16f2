// Renews the certificates of a machine that `annals cluster init` or `join` prepared.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '../../../events/errors.js'
import type { EtcdAdministration } from '../../../events/log/etcd/administration.js'
import type { Report } from '../../../events/log/report.js'
import { certificatesIn } from '../../../http/wire/tls/material.js'
import type { Settings } from '../../settings/settings.js'
import { AUTHORITY, updateAuthority } from './cluster-authority.js'
import { withEtcd } from './etcd-connection.js'
import { replaceFile } from './files.js'

/** Before the end of a certificate: time for restarts, and for machines that are off. */
const RENEW_BEFORE_MS = 365 * 86_400_000
const CHECK_MS = 3_600_000

type Store = Pick<EtcdAdministration, 'read' | 'replace'>
type Scope = Pick<Settings, 'cluster' | 'encryption'>

const endOf = ({ validTo }: X509Certificate): number => Date.parse(validTo)

/** Replaces a file, unless it contains a further certificate, which its owner has added. */
const replaceOnly = (path: string, certificate: string): boolean => {
  const before = readFileSync(path, 'utf8')
  if (before === certificate || certificatesIn(before).length > 1) return false
  replaceFile(path, certificate)
  return true
}

/**
 * Renews the authority in its last year, and then the files of this machine. All keys remain, so a certificate is accepted by machines
 * with the former and with the renewed authority, in any order.
 * @param now epoch ms
 * @returns true if files were replaced; never those of another authority
 * @throws EtcdFailure and file system errors
 */
export const renewCertificates = async (settings: Scope, etcd: Store, now: number): Promise<boolean> => {
  const { ca_file: ca, cert_file: file } = settings.cluster.etcd
  const text = file === undefined ? '' : readFileSync(file, 'utf8')
  const [own] = certificatesIn(text)
  if (ca === undefined || file === undefined || own?.issuer !== `CN=${AUTHORITY}`) return false
  const isEnding = (certificate: X509Certificate): boolean => endOf(certificate) - now < RENEW_BEFORE_MS
  const authority = await updateAuthority(settings, etcd, async current =>
    isEnding(new X509Certificate(current.certificate))
      ? (await import('./certificates.js')).renewAuthority(current, now)
      : undefined
  )
  if (!authority) return false
  const issuer = new X509Certificate(authority.certificate)
  if (!own.verify(issuer.publicKey)) return false
  const isReplaced = replaceOnly(ca, authority.certificate)
  if (!isEnding(own) || endOf(own) >= endOf(issuer)) return isReplaced
  const { renewCertificate } = await import('./certificates.js')
  replaceFile(file, (await renewCertificate(authority, text, now)) + authority.certificate)
  return true
}

/** Renews at the start and every hour, until the signal aborts. */
export const keepCertificates = async (
  settings: Settings,
  report: Report,
  signal: AbortSignal
): Promise<void> => {
  while (!signal.aborted) {
    try {
      if (await withEtcd(settings, etcd => renewCertificates(settings, etcd, Date.now())))
        report({ level: 'info', text: 'the certificates of this machine were renewed' })
    } catch (error) {
      report({ level: 'warn', text: `the certificates cannot be renewed now: ${messageOf(error)}` })
    }
    await setTimeout(CHECK_MS, undefined, { signal, ref: false }).catch(() => {})
  }
}
