// The folder of a machine that `annals cluster init` or `join` prepares: configuration, certificate, keys and data.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, isIP, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode, messageOf } from '../../events/errors.js'
import { UsageError, type Console, Failed } from '../../clients/cli/console.js'
import { SharedUnreachable } from '../../events/log/cluster/shared-log.js'
import type { EtcdProcess } from '../cluster/etcd/etcd-process.js'
import { createFolder, replaceFile } from '../cluster/etcd/files.js'
import { hostPort } from '../settings/listeners.js'
import { LiveSettings } from '../settings/settings.js'
import { loadSettings } from '../settings/load.js'
import { NAME } from '../settings/schema.js'

export interface MachineOptions {
  readonly dir: string
  readonly address?: string
  readonly name?: string
  readonly httpPort: number
  readonly httpsPort: number
  readonly dnsPort: number
  readonly etcdClientPort: number
  readonly etcdPeerPort: number
  readonly prepare?: boolean
}

/** The name and the addresses of a machine. */
export interface Machine extends MachineOptions {
  readonly name: string
  readonly address: string
}

const filesIn = (folder: string) => {
  const file = (name: string): string => join(folder, name)
  return {
    folder,
    config: file('annals.json'),
    authority: file('ca.pem'),
    certificate: file('server.pem'),
    key: file('server.key'),
    /** Present until the machine has joined. */
    request: file('server.csr'),
    encryptionKey: file('encryption.key'),
    secret: file('cluster.secret'),
    data: file('data')
  }
}

export type MachineFiles = ReturnType<typeof filesIn>

/** @throws UsageError for a name or an address that is none */
export const machineOf = (options: MachineOptions, address: string): Machine => {
  const name = options.name ?? hostname().split('.')[0] ?? ''
  if (!new RegExp(NAME).test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is no name of a machine: --name must be 1 to 64 letters, digits, hyphens and underscores`
    )
  if (isIP(address) === 0 || /^(0\.0\.0\.0|::)$/.test(address))
    throw new UsageError(
      `${JSON.stringify(address)} is no IP address of this machine, which --address must be`
    )
  return { ...options, name, address }
}

/** Returns the files of a folder. @returns `isPending` for a join that did not end. @throws UsageError if the folder belongs to something else */
export const openFolder = (dir: string): { readonly files: MachineFiles; readonly isPending: boolean } => {
  const files = filesIn(resolve(dir))
  if (!existsSync(files.folder) || readdirSync(files.folder).length === 0) return { files, isPending: false }
  if (existsSync(files.request)) return { files, isPending: true }
  throw new UsageError(
    existsSync(files.config)
      ? `${files.folder} belongs to a server already: start it with annals serve --config ${files.config}, or name another folder with --dir`
      : `${files.folder} is not empty: name a new folder with --dir`
  )
}

/** Deletes what a failed command has created. */
export const deleteFolder = ({ folder }: MachineFiles): void =>
  rmSync(folder, { recursive: true, force: true })

/** @throws UsageError if nothing can listen there; `what` begins the message */
export const checkPort = (address: string, port: number, what: string): Promise<void> =>
  new Promise((done, reject) => {
    const server = createServer()
    server.once('error', error => {
      const place = hostPort(address, port)
      reject(
        new UsageError(
          hasCode(error, 'EADDRNOTAVAIL')
            ? `${address} is no address of this machine: give --address one by which the other machines reach it`
            : `${what} cannot listen on ${place}: ${hasCode(error, 'EADDRINUSE') ? 'the port is in use' : error.message}`
        )
      )
    })
    server.listen(port, address, () => server.close(() => done()))
  })

/** @throws UsageError that names the first address or port that cannot be used */
export const checkPorts = async (machine: Machine): Promise<void> => {
  await checkPort(machine.address, machine.httpsPort, 'HTTPS')
  await checkPort(machine.address, machine.etcdClientPort, 'etcd')
  await checkPort(machine.address, machine.etcdPeerPort, 'etcd')
  if (machine.httpPort > 0) await checkPort('127.0.0.1', machine.httpPort, 'HTTP')
}

export const memberUrls = ({ address, etcdClientPort, etcdPeerPort }: Machine) => ({
  client_url: `https://${hostPort(address, etcdClientPort)}`,
  peer_url: `https://${hostPort(address, etcdPeerPort)}`
})

/** What all machines of a cluster share. */
interface ClusterFacts {
  readonly datacenter: string
  readonly encryptionKey: string
  readonly secret: string
  readonly prefix?: string
  readonly quota?: number
  /** Endpoints of etcd for a machine without a member; absent for one with a managed member. */
  readonly endpoints?: readonly string[]
}

/** Writes certificate, keys and configuration. The configuration comes last. */
export const writeMachine = (
  files: MachineFiles,
  machine: Machine,
  facts: ClusterFacts,
  tls: { readonly authority: string; readonly certificate: string }
): void => {
  createFolder(files.folder)
  replaceFile(files.authority, tls.authority)
  // The authority follows, so that a joining machine can compare its fingerprint.
  replaceFile(files.certificate, tls.certificate + tls.authority)
  replaceFile(files.encryptionKey, `${facts.encryptionKey}\n`)
  replaceFile(files.secret, `${facts.secret}\n`)
  const pair = { cert_file: files.certificate, key_file: files.key }
  const local = isIPv6(machine.address) ? '::1' : '127.0.0.1'
  const config = {
    node_name: machine.name,
    datacenter: facts.datacenter,
    data_dir: files.data,
    bind: machine.address,
    addresses: { http: '127.0.0.1', dns: local },
    ports: { http: machine.httpPort, https: machine.httpsPort, dns: machine.dnsPort },
    tls: { http: pair },
    encryption: { key_file: files.encryptionKey },
    cluster: {
      enabled: true,
      secret_file: files.secret,
      tls: { ca_file: files.authority, ...pair },
      etcd: {
        ...(facts.endpoints ? { endpoints: facts.endpoints } : { managed: true, ...memberUrls(machine) }),
        ...(facts.prefix !== undefined && { prefix: facts.prefix }),
        ...(facts.quota !== undefined && { quota: facts.quota }),
        ca_file: files.authority,
        ...pair
      }
    }
  }
  replaceFile(files.config, `${JSON.stringify(config, undefined, 2)}\n`)
}

export const readText = (path: string): string => readFileSync(path, 'utf8')

/** Returns the settings of the folder as a server loads them. */
export const liveSettings = ({ config }: MachineFiles, env: Console['env']): LiveSettings =>
  new LiveSettings(() => loadSettings({ file: config, env, flags: {} }))

const RETRY_MS = 200
const MOST_MS = 120_000

/**
 * Repeats work that fails while etcd is not ready. @returns its result
 * @param etcd the member whose end ends the repetition
 * @throws Failed with the log of etcd if its member has ended, or after two minutes; other errors of the work
 */
export const untilDone = async <T>(
  what: string,
  etcd: EtcdProcess | undefined,
  work: () => Promise<T>
): Promise<T> => {
  const began = performance.now()
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SharedUnreachable)) throw error
      if (etcd && etcd.pid === undefined) throw new Failed(`etcd has ended: ${etcd.logTail}`)
      if (performance.now() - began > MOST_MS) throw new Failed(`${what}: ${messageOf(error)}`)
      await setTimeout(RETRY_MS)
    }
}

/** Runs the server in the foreground, unless the command only prepares it. */
export const serveMachine = async (
  files: MachineFiles,
  { prepare = false }: MachineOptions,
  { env, out }: Console
): Promise<void> => {
  if (prepare) {
    out.write(`Start the server with: annals serve --config ${files.config}\n`)
    return
  }
  const { serve } = await import('./run-server.js')
  await serve(liveSettings(files, env))
}
