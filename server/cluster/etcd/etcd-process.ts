// The process of the managed member. It is no child that ends with the server: a server that starts again finds it by its PID file.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { etcdFolder, type Settings } from '../../settings/settings.js'
import { dataFlag, etcdArguments, type EtcdVersion } from './etcd-program.js'
import { createFolder, replaceFile } from './files.js'

const FILE_MODE = 0o600
/** etcd writes warnings and errors only. */
const MAX_LOG_BYTES = 16 * 2 ** 20
const TAIL_BYTES = 2000
const POLL_MS = 50

const commandLineOf = (pid: number): string => {
  const path = `/proc/${pid}/cmdline`
  try {
    if (existsSync('/proc/self')) return readFileSync(path, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

export class EtcdProcess {
  readonly #folder: string
  readonly #logPath: string

  constructor(private readonly settings: Settings) {
    this.#folder = etcdFolder(settings.data_dir)
    this.#logPath = join(this.#folder, 'etcd.log')
  }

  /** Returns the process ID of the running member of this data folder, or undefined. */
  get pid(): number | undefined {
    const path = this.#pidPath
    const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
    return pid > 0 && commandLineOf(pid).split(/\s/).includes(dataFlag(this.settings)) ? pid : undefined
  }

  /** True if the authority that a running member has read is another one than that of now: certificates are read again, authorities are not. */
  get hasFormerAuthority(): boolean {
    const { ca_file: ca = '' } = this.settings.cluster.etcd
    const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    return this.pid !== undefined && changedAt(ca) > changedAt(this.#pidPath)
  }

  /** True if a member has ever started here. */
  get hasData(): boolean {
    return existsSync(join(this.#folder, 'data', 'member'))
  }

  /** Returns the end of the log of etcd. */
  get logTail(): string {
    if (!existsSync(this.#logPath)) return ''
    return readFileSync(this.#logPath, 'utf8').slice(-TAIL_BYTES).trim()
  }

  /** Starts the member, which continues after the end of this process. @param more arguments. @throws Error if it cannot be spawned */
  async start(version: EtcdVersion, more: readonly string[] = []): Promise<void> {
    createFolder(this.#folder)
    this.boundLog()
    const log = openSync(this.#logPath, 'a', FILE_MODE)
    // Variables would override the flags.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !name.startsWith('ETCD_') || name === 'ETCD_UNSUPPORTED_ARCH'
      )
    )
    try {
      const args = [...etcdArguments(this.settings, version), ...more]
      const child = spawn('etcd', args, { detached: true, stdio: ['ignore', log, log], env })
      await once(child, 'spawn')
      replaceFile(this.#pidPath, `${child.pid}\n`)
      child.unref()
    } finally {
      closeSync(log)
    }
  }

  /** Ends the member by a signal, and waits for its end. @returns false if none ran */
  async stop(): Promise<boolean> {
    const { pid } = this
    if (pid === undefined) return false
    process.kill(pid, 'SIGTERM')
    while (this.pid === pid) await setTimeout(POLL_MS)
    rmSync(this.#pidPath, { force: true })
    return true
  }

  /** Truncates a log that has become too large. */
  boundLog(): void {
    const size = statSync(this.#logPath, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_LOG_BYTES) truncateSync(this.#logPath)
  }

  get #pidPath(): string {
    return join(this.#folder, 'etcd.pid')
  }
}
