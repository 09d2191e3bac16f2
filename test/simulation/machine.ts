// A simulated machine with a server: it starts, fails, and gets another disk.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningServer } from '../../server/running-server.js'
import { loadSettings } from '../../server/settings/load.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { OWN_LOG } from '../../server/settings/ports.js'
import { CommitsPruned, LogDamage, LogUnusable, type LogReader } from '../../events/log/log.js'
import { StoredRecord } from '../../events/log/record.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import type { Archive } from './archive.js'
import type { ErasableEvent } from './erasures.js'
import type { FoundRoot } from './roots.js'
import { TreeDamage } from '../../events/log/tree/tree.js'
import type { DiskFault, Machines } from './disk.js'
import { MACHINES_PATH } from './files.js'
import type { Network } from './network.js'
import type { SimulatedProcess, World } from './world.js'

/** How long clients wait for an answer, in ms. */
export const PATIENCE = 20_000
/** In ms: after a server ended by itself. */
const RESTART_MS = 1000
/** In ms: how often commits are archived. */
const ARCHIVING_MS = 500
/** In the message with which a server refuses a damaged log, or the hashes of one, or a replica continues only with an empty folder. */
const DAMAGE = /damage|do not fit the checkpoints|an empty data folder/

/** A failure of a machine. */
export type Failure = 'kill' | 'power-loss'

/** Returns the data folder of a server. */
export const dataDirOf = (name: string): string => `${MACHINES_PATH}${name}`

/** Returns a folder that is removed when the simulation ends. */
const configFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-simulation-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  return folder
}

/** Reads a log, again if commits are pruned meanwhile. */
const readRetained = async <T>(read: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof CommitsPruned)) throw error
    }
}

/** Returns the hash of a record in hex. @throws LogUnusable if it is damaged */
const hashOf = (bytes: Buffer): string => {
  const record = StoredRecord.at(bytes)
  if (!record) throw new LogUnusable('a log has what is no record')
  return Buffer.from(record.hash).toString('hex')
}

/** What runs on a machine. */
export interface Installation {
  readonly name: string
  readonly port: number
  readonly config: object
  readonly begin: (live: LiveSettings, fatal: (error: unknown) => void) => Promise<RunningServer>
}

export class Machine {
  readonly port: number
  process: SimulatedProcess
  running: RunningServer | undefined
  readonly #live: () => LiveSettings
  readonly #begin: Installation['begin']
  readonly #log: string
  /** Paths of its folders, each a disk. */
  readonly #disks: readonly string[]
  #isStopped = true
  #replacedAt = -Infinity
  /** True while its disk is one that was given to it empty. */
  isReplaced = false

  constructor(
    private readonly network: Network,
    private readonly machines: Machines,
    /** Of all servers with the same log. */
    readonly commits: Archive,
    { name, port, config, begin }: Installation
  ) {
    this.port = port
    this.#begin = begin
    this.#log = join(dataDirOf(name), 'log')
    this.#disks = [this.#log, dataDirOf(name)]
    this.process = network.world.process(name)
    const file = join(configFolder(), `${name}.json`)
    writeFileSync(file, JSON.stringify(config))
    this.#live = () => new LiveSettings(() => loadSettings({ file, env: {}, flags: {} }))
  }

  get world(): World {
    return this.network.world
  }

  /** True while a client may receive an answer that reports decayed files. */
  get mayReportDamage(): boolean {
    return this.process.hasDecayed || this.world.now < this.#replacedAt + PATIENCE
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Starts the server of the machine. It starts again if it ends by itself. */
  start(): void {
    const { process, world } = this
    this.#isStopped = false
    world.note(`${process.name} starts`)
    const failed = (error: unknown): void => {
      if (!process.isAlive) return
      const reason = error instanceof Error ? error.message : String(error)
      world.note(`${process.name} ends: ${reason}`)
      this.#end(disk => disk.killed())
      if (DAMAGE.test(reason)) this.#replaceDisk()
      world.after(RESTART_MS, () => this.start(), this.process)
    }
    const start = async (): Promise<void> => {
      const running = await this.#begin(this.#live(), failed)
      if (!process.isAlive) return
      this.running = running
      await this.#archiveAlways(running.scope.resolve(OWN_LOG))
    }
    world.as(process, () => void start().catch(failed))
  }

  fail(failure: Failure): void {
    this.world.note(`${this.process.name} fails: ${failure}`)
    this.#isStopped = true
    this.#end(disk => (failure === 'kill' ? disk.killed() : disk.powerLoss(this.world.random)))
  }

  /** Flips a bit of a stopped server's log. */
  decay(): void {
    this.process.hasDecayed = true
    const file = this.machines.disk(this.#log).decay(this.world.random)
    this.world.note(`${this.process.name} decays: ${file ?? 'no file'}`)
  }

  /** Starts the server with an empty disk if files of its log have decayed. @returns true then */
  replaceDecayed(): boolean {
    if (!this.process.hasDecayed) return false
    this.#end(disk => disk.killed())
    this.#replaceDisk()
    this.start()
    return true
  }

  /** Starts the server with a copy of another one's log. Servers without a log copy files that the simulation does not have, once etcd lacks commits. */
  copyLog(from: Machine): void {
    this.world.note(`${this.process.name} gets the log of ${from.process.name}`)
    this.#end(disk => disk.killed())
    this.machines.copy(from.#log, this.#log)
    this.isReplaced = false
    this.start()
  }

  setDisk(fault: DiskFault | undefined): void {
    for (const path of this.#disks) this.machines.set(path, fault)
  }

  /** Returns the hashes of the commits of the server's log by their index. A log that reports decayed files is replaced. */
  async hashes(): Promise<ReadonlyMap<number, string>> {
    try {
      return await readRetained(async () => {
        const log = this.#ownLog
        const found = new Map<number, string>()
        if (log)
          for await (const page of log.records(log.firstIndex))
            for (const { index, bytes } of page) found.set(index, hashOf(bytes))
        return found
      })
    } catch (error) {
      if (!(error instanceof LogDamage && this.replaceDecayed())) throw error
      return new Map()
    }
  }

  /** Adds what the server's log has to the archive. */
  async archive(): Promise<void> {
    const log = this.#ownLog
    if (log) await this.commits.addAll(log)
  }

  /** Returns the configuration entries in the server's log. */
  entries(): Promise<readonly ErasableEvent[]> {
    return readRetained(async () => {
      const log = this.#ownLog
      const found: ErasableEvent[] = []
      if (log)
        for await (const { Index, Events } of log.read(log.firstIndex))
          for (const { Topic, Key, Erased } of Events)
            if (Topic === CONFIG_ENTRY_TOPIC) found.push({ Index, Key, isErased: Erased === true })
      return found
    })
  }

  async rootAt(size: number): Promise<FoundRoot> {
    const tree = this.running?.scope.resolve(LogEvidence).opened?.tree
    try {
      await tree?.catchUp()
      return tree && size <= tree.size ? await tree.tree.rootAt(size) : undefined
    } catch (error) {
      if (this.process.hasDecayed && error instanceof TreeDamage) return 'damaged'
      throw error
    }
  }

  get #ownLog() {
    return this.running?.scope.resolve(OWN_LOG)
  }

  /** Archives the commits of the log as they become durable, as long as the process runs. */
  async #archiveAlways(log: LogReader): Promise<void> {
    const { process, world } = this
    while (process.isAlive) {
      await this.commits.add(log).catch((error: unknown) => {
        if (!(error instanceof LogUnusable)) throw error
      })
      await world.pause(ARCHIVING_MS)
    }
  }

  /** What the documentation tells an operator to do for a damaged server of a cluster. */
  #replaceDisk(): void {
    this.world.note(`${this.process.name} gets an empty disk`)
    for (const path of this.#disks) this.machines.remove(path)
    this.isReplaced = true
    this.process.hasDecayed = false
    this.#replacedAt = this.world.now
  }

  #end(change: Parameters<Machines['replace']>[1]): void {
    const { name, wallOffset, hasDecayed } = this.process
    this.process.isAlive = false
    this.network.drop(this.process)
    for (const path of this.#disks) this.machines.replace(path, change)
    this.process = { name, wallOffset, hasDecayed, frozenUntil: 0, isAlive: true }
    this.running = undefined
  }
}
