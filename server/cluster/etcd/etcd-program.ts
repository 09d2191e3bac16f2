// The program `etcd` of this machine: its version, and the flags of a member.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '../../../events/errors.js'
import { etcdFolder, SettingsError, type Settings } from '../../settings/settings.js'
import { readMemberList } from './member-list.js'

const INSTALL = 'install etcd 3.4.31, 3.5.13, 3.6 or newer, so that `etcd` is on PATH'
const LEAST: readonly [number, number] = [3, 4]
/** Earlier patches can lose watch events after a compaction. */
const SOUND_PATCHES: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 }

export interface EtcdVersion {
  readonly text: string
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Returns undefined for a text without a version. */
export const parseVersion = (text: string): EtcdVersion | undefined => {
  const [found, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []
  if (found === undefined) return undefined
  return { text: found, major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/** Returns the advice for a version that works, but has known defects; undefined for a sound one. */
export const versionWarning = ({ text, major, minor, patch }: EtcdVersion): string | undefined =>
  patch < (SOUND_PATCHES[`${major}.${minor}`] ?? 0)
    ? `etcd ${text} can lose watch events after a compaction: ${INSTALL}`
    : undefined

/** Returns the version of `etcd` on PATH. @throws SettingsError if it is missing or older than 3.4 */
export const findEtcd = async (): Promise<EtcdVersion> => {
  const { stdout } = await promisify(execFile)('etcd', ['--version']).catch((error: unknown) => {
    throw new SettingsError(
      hasCode(error, 'ENOENT')
        ? `there is no etcd on PATH: ${INSTALL}`
        : `etcd --version failed: ${String(error)}`
    )
  })
  const version = parseVersion(stdout)
  if (!version) throw new SettingsError(`etcd --version printed no version: ${stdout.slice(0, 80).trim()}`)
  const [major, minor] = LEAST
  if (version.major < major || (version.major === major && version.minor < minor))
    throw new SettingsError(`etcd ${version.text} is too old: ${INSTALL}`)
  return version
}

type Flags = Readonly<Record<string, string>>

/** Flags that not every version has. */
const versionFlags = ({ major, minor }: EtcdVersion): Flags => {
  if (major === 3 && minor < 6)
    return { 'experimental-initial-corrupt-check': 'true', ...(minor === 4 && { 'enable-v2': 'false' }) }
  return { 'feature-gates': 'InitialCorruptCheck=true' }
}

/** By this argument a running member is recognized. */
export const dataFlag = ({ data_dir }: Pick<Settings, 'data_dir'>): string =>
  `--data-dir=${join(etcdFolder(data_dir), 'data')}`

/** Returns the arguments of the managed member. They contain no secret. A member with data ignores those that begin with `initial`. */
export const etcdArguments = (settings: Settings, version: EtcdVersion): readonly string[] => {
  const { client_url: client = '', peer_url: peer = '', quota, ...tls } = settings.cluster.etcd
  const { ca_file: ca = '', cert_file: cert = '', key_file: key = '' } = tls
  const members = readMemberList(settings)
  const flags: Flags = {
    name: settings.node_name,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': members.map(member => `${member.name}=${member.peer}`).join(),
    'initial-cluster-state': members.length > 1 ? 'existing' : 'new',
    'client-cert-auth': 'true',
    'trusted-ca-file': ca,
    'cert-file': cert,
    'key-file': key,
    'peer-client-cert-auth': 'true',
    'peer-trusted-ca-file': ca,
    'peer-cert-file': cert,
    'peer-key-file': key,
    'quota-backend-bytes': String(quota),
    'heartbeat-interval': '50',
    'election-timeout': '500',
    'pre-vote': 'true',
    logger: 'zap',
    'log-level': 'warn',
    ...versionFlags(version)
  }
  return [dataFlag(settings), ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)]
}
