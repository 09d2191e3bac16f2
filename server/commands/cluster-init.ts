// `annals cluster init` and `token`: create a cluster with its first server, and tokens for further machines.
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { type Console, UsageError, Failed } from '../../clients/cli/console.js'
import { createAuthority, createRequest, fingerprintOf, signRequest } from '../cluster/etcd/certificates.js'
import { hostsOf } from '../cluster/etcd/admit-machine.js'
import { readAuthority, storeAuthority, type CertifiedKey } from '../cluster/etcd/cluster-authority.js'
import { withEtcd } from '../cluster/etcd/etcd-connection.js'
import { EtcdProcess } from '../cluster/etcd/etcd-process.js'
import { findEtcd, versionWarning } from '../cluster/etcd/etcd-program.js'
import { createFolder, replaceFile } from '../cluster/etcd/files.js'
import { JoinTokens } from '../cluster/etcd/join-tokens.js'
import { writeMemberList } from '../cluster/etcd/member-list.js'
import { messageOf } from '../../events/errors.js'
import { formatTime } from '../../events/time.js'
import { KEY, KEY_FORMAT } from '../settings/values.js'
import { advertisedOf } from '../settings/listeners.js'
import type { Settings } from '../settings/settings.js'
import {
  checkPorts,
  deleteFolder,
  liveSettings,
  machineOf,
  memberUrls,
  openFolder,
  readText,
  serveMachine,
  untilDone,
  writeMachine,
  type Machine,
  type MachineFiles,
  type MachineOptions
} from './cluster-machine.js'
import { requireManaged } from './cluster-operations.js'

const KEY_BYTES = 32
/** Until the cluster exists, they undo the command. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const EXIT_BY_SIGNAL = 130

interface TokenOptions {
  /** In ms. */
  readonly tokenTtl: number
}

export interface InitOptions extends MachineOptions, TokenOptions {
  /** A file. */
  readonly encryptionKey?: string
  readonly datacenter: string
  readonly servers: number
}

/** Returns the only address of this machine that others may reach. @throws UsageError if there is none or a choice */
const ownAddress = (): string => {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  const own = all
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address)
  const [first] = own
  if (first !== undefined && own.length === 1) return first
  const choice = own.length === 0 ? 'this machine has no IPv4 address' : `this machine has ${own.join(', ')}`
  throw new UsageError(
    `--address must name an IP address by which the other machines reach this one: ${choice}`
  )
}

/** Creates tokens, and returns the command that uses each. @throws EtcdFailure; Failed if the authority cannot be read */
const joinCommands = (settings: Settings, count: number, life: number): Promise<readonly string[]> =>
  withEtcd(settings, async etcd => {
    const authority = await readAuthority(settings, etcd)
    if (!authority) throw new Failed('etcd has no authority of this cluster: annals cluster init creates it')
    const tokens = new JoinTokens(etcd, settings.cluster.etcd.prefix)
    const place = new URL(advertisedOf(settings)).host
    const commands: string[] = []
    for (let made = 0; made < count; made++) {
      const token = await tokens.create(fingerprintOf(authority.certificate), life, Date.now())
      commands.push(`annals cluster join ${token} ${place}`)
    }
    return commands
  })

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64')

/** Returns the key of an earlier cluster. @throws UsageError if the file has none */
const keyIn = (file: string): string => {
  try {
    const key = readText(file).trim()
    if (new RegExp(KEY).test(key)) return key
  } catch (error) {
    throw new UsageError(`--encryption-key must name a file that can be read: ${messageOf(error)}`)
  }
  throw new UsageError(`${file} is no encryption key: it must hold ${KEY_FORMAT}`)
}

/** Creates keys, certificates and configuration. @returns the authority, whose key is in no file: etcd gets it, encrypted */
const createFiles = async (
  files: MachineFiles,
  machine: Machine,
  { datacenter, encryptionKey }: { readonly datacenter: string; readonly encryptionKey: string }
): Promise<CertifiedKey> => {
  const authority = await createAuthority()
  const { key, request } = await createRequest(machine.name)
  const hosts = hostsOf(machine.name, machine.address)
  const certificate = await signRequest(authority, request, machine.name, hosts)
  createFolder(files.folder)
  replaceFile(files.key, key)
  const facts = { datacenter, encryptionKey, secret: newKey() }
  writeMachine(files, machine, facts, { authority: authority.certificate, certificate })
  return authority
}

const tokenText = (commands: readonly string[], life: number): string =>
  commands.length === 0
    ? ''
    : `On each further machine, run one of these commands until ${formatTime(Date.now() + life)}. Each is for one machine:\n\n${commands.map(command => `  ${command}\n`).join('')}\n`

/**
 * Creates a cluster, and runs its first server. A failure leaves nothing behind.
 * @throws UsageError SettingsError Failed
 */
export const clusterInit = async (options: InitOptions, console: Console): Promise<void> => {
  const { out, err, env } = console
  const version = await findEtcd()
  const warning = versionWarning(version)
  if (warning !== undefined) err.write(`annals: warning: ${warning}\n`)
  const { files, isPending } = openFolder(options.dir)
  if (isPending)
    throw new UsageError(`${files.folder} belongs to a machine that joins: name another folder with --dir`)
  const machine = machineOf(options, options.address ?? ownAddress())
  const encryptionKey = options.encryptionKey === undefined ? newKey() : keyIn(options.encryptionKey)
  await checkPorts(machine)
  let etcd: EtcdProcess | undefined
  const undo = async (): Promise<void> => {
    await etcd?.stop()
    deleteFolder(files)
  }
  const onSignal = (): void => void undo().finally(() => process.exit(EXIT_BY_SIGNAL))
  for (const signal of SIGNALS) process.once(signal, onSignal)
  try {
    const authority = await createFiles(files, machine, { datacenter: options.datacenter, encryptionKey })
    const settings = liveSettings(files, env).current
    const { client_url: client, peer_url: peer } = memberUrls(machine)
    writeMemberList(settings, [{ name: machine.name, peer, client }])
    const started = (etcd = new EtcdProcess(settings))
    await started.start(version)
    await untilDone('etcd does not answer', started, () =>
      withEtcd(settings, admin => storeAuthority(settings, admin, authority))
    )
    const commands = await joinCommands(settings, options.servers - 1, options.tokenTtl)
    out.write(
      `The cluster has its first server, ${machine.name}. ${files.folder} has its configuration, keys and data.\netcd ${version.text} runs, and continues when the server stops: annals cluster stop --config ${files.config}\n\n${tokenText(commands, options.tokenTtl)}`
    )
  } catch (error) {
    await undo()
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  await serveMachine(files, machine, console)
}

/** Prints the command by which one further machine joins. @throws UsageError; Failed; SharedUnreachable */
export const clusterToken = async (
  settings: Settings,
  { out }: Console,
  { tokenTtl }: TokenOptions
): Promise<void> => {
  requireManaged(settings)
  out.write(tokenText(await joinCommands(settings, 1, tokenTtl), tokenTtl))
}
