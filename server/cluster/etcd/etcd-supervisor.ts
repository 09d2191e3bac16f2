// Keeps the managed member of etcd running while the server runs, and knows the members of the cluster.
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '../../../events/errors.js'
import { EtcdAdministration, type ObservedMember } from '../../../events/log/etcd/administration.js'
import type { Report } from '../../../events/log/report.js'
import { etcdFolder, SettingsError, type Settings } from '../../settings/settings.js'
import { etcdAddress } from './etcd-connection.js'
import { EtcdProcess } from './etcd-process.js'
import { findEtcd, versionWarning, type EtcdVersion } from './etcd-program.js'
import { readMemberList, votersOf, writeMemberList } from './member-list.js'

const CHECK_MS = 500
const OBSERVE_MS = 10_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** A member that ran for so long starts again without a pause. */
const STABLE_MS = 60_000
/** One member after another restarts with a renewed authority, each in a turn of its own. */
const TURN_MS = 600_000

const memberLost = ({ node_name: name, data_dir }: Settings): SettingsError =>
  new SettingsError(
    `the member of etcd has no data in ${etcdFolder(data_dir)}: put this folder back, or replace the machine: annals cluster leave --name ${name} on another one, then join in a new folder`
  )

export class EtcdSupervisor {
  readonly #process: EtcdProcess
  readonly #etcd: EtcdAdministration
  readonly #ending = new AbortController()
  #running: Promise<unknown> = Promise.resolve()
  #observed: readonly ObservedMember[] = []
  #restarts = 0

  private constructor(
    private readonly settings: Settings,
    private readonly report: Report,
    private readonly version: EtcdVersion
  ) {
    this.#process = new EtcdProcess(settings)
    this.#etcd = new EtcdAdministration(etcdAddress(settings))
  }

  /** Starts the member unless it runs already, and keeps it running. @throws SettingsError without a suitable `etcd`, or without the member's data */
  static async start(settings: Settings, report: Report): Promise<EtcdSupervisor> {
    const version = await findEtcd()
    const warning = versionWarning(version)
    if (warning !== undefined) report({ level: 'warn', text: warning })
    const supervisor = new EtcdSupervisor(settings, report, version)
    if (supervisor.#process.pid === undefined) {
      if (!supervisor.#process.hasData) throw memberLost(settings)
      await supervisor.#process.start(version)
    }
    supervisor.#running = Promise.all([supervisor.#watch(), supervisor.#observe()])
    return supervisor
  }

  /** The members at the last observation. */
  get members(): readonly ObservedMember[] {
    return this.#observed
  }

  /** Starts of the member after it had ended by itself. */
  get restarts(): number {
    return this.#restarts
  }

  /** Stops the supervision. The member continues. */
  async stop(): Promise<void> {
    this.#ending.abort()
    this.#etcd.close()
    await this.#running
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ending
    let startedAt = performance.now()
    let pause = FIRST_PAUSE_MS
    while (await this.#waited(CHECK_MS)) {
      this.#process.boundLog()
      if (this.#mustRestart()) await this.#restart()
      if (this.#process.pid !== undefined) continue
      if (performance.now() - startedAt > STABLE_MS) pause = FIRST_PAUSE_MS
      this.report({
        level: 'error',
        text: `the member of etcd has ended, and starts again in ${pause} ms. The end of its log: ${this.#process.logTail}`
      })
      await this.#waited(pause)
      pause = Math.min(pause * 2, MAX_PAUSE_MS)
      if (signal.aborted) return
      startedAt = performance.now()
      this.#restarts++
      await this.#process.start(this.version).catch(error => this.#failed('etcd cannot be started', error))
    }
  }

  async #observe(): Promise<void> {
    do {
      try {
        this.#observed = await this.#etcd.observe()
        const voters = votersOf(this.#observed.map(({ member }) => member))
        const isChanged = JSON.stringify(voters) !== JSON.stringify(readMemberList(this.settings))
        if (voters.length > 0 && isChanged) writeMemberList(this.settings, voters)
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#failed('the members of etcd cannot be read', error)
      }
    } while (await this.#waited(OBSERVE_MS))
  }

  /** True in the turn of this member if its authority was renewed and all members answer. */
  #mustRestart(): boolean {
    const names = this.#observed.map(({ member }) => member.name ?? '').toSorted()
    const turn = Math.floor(Date.now() / TURN_MS) % names.length
    return (
      names[turn] === this.settings.node_name &&
      this.#process.hasFormerAuthority &&
      this.#observed.every(({ status }) => status !== undefined)
    )
  }

  async #restart(): Promise<void> {
    this.report({ level: 'info', text: 'the member of etcd starts again, to trust the renewed authority' })
    await this.#process.stop()
    await this.#process.start(this.version).catch(error => this.#failed('etcd cannot be started', error))
  }

  #failed(what: string, error: unknown): void {
    this.report({ level: 'warn', text: `${what}: ${messageOf(error)}` })
  }

  /** Resolves with false at the end of the supervision. */
  async #waited(ms: number): Promise<boolean> {
    const { signal } = this.#ending
    await setTimeout(ms, undefined, { signal }).catch(() => {})
    return !signal.aborted
  }
}
