// In place of `events/log/node-disk.ts`: folders of the simulated machines, by their paths.
import { createHash } from 'node:crypto'
import type { Disk } from '../../events/log/disk-port.js'
import {
  diskError,
  SimulatedDisk,
  type DiskCall,
  type DiskHooks,
  type Fault
} from '../support/simulated-disk.js'
import type { World } from './world.js'

/** In ms, at most. */
const LATENCY = 0.3
/** The share of calls that fail while a disk fails. */
const FAILING = 0.2
const CHANGING: ReadonlySet<DiskCall['kind']> = new Set(['write', 'allocate', 'flush', 'flushNames'])

/** What is wrong with the disk of a machine. */
export interface DiskFault {
  /** Added to the latency of each call, in ms. */
  readonly delay: number
  /** With which error some writes fail. */
  readonly code?: 'EIO' | 'ENOSPC'
}

/** All machines' disks by the path of a log's folder. */
export class Machines {
  readonly #disks = new Map<string, SimulatedDisk>()
  readonly #faults = new Map<string, DiskFault>()

  constructor(private readonly world: World) {}

  /** Sets what is wrong with the disk of a log's folder; undefined ends it. */
  set(path: string, fault: DiskFault | undefined): void {
    if (fault) this.#faults.set(path, fault)
    else this.#faults.delete(path)
  }

  /** The disk with a folder, which need not exist. */
  disk(path: string): SimulatedDisk {
    const known = this.#disks.get(path)
    if (known) return known
    const disk = new SimulatedDisk(path, this.#hooksOf(path))
    this.#disks.set(path, disk)
    return disk
  }

  /** Replaces a disk by what a restart of its process or its machine finds. */
  replace(path: string, change: (disk: SimulatedDisk) => SimulatedDisk): void {
    // A copy, since the disk that a failure leaves has no hooks.
    this.#disks.set(path, change(this.disk(path)).killed(this.#hooksOf(path)))
  }

  /** Copies what is durable of a folder. */
  copy(from: string, to: string): void {
    this.#disks.set(to, this.disk(from).killed(this.#hooksOf(to)))
  }

  remove(path: string): void {
    this.#disks.delete(path)
  }

  /** Of the contents of all files. */
  digest(): string {
    const hash = createHash('sha256')
    for (const each of this.#disks.values())
      for (const { disk, name, content } of each.files())
        hash.update(`${disk.path}/${name} ${content.length}\n`).update(content)
    return hash.digest('hex')
  }

  #hooksOf(path: string): DiskHooks {
    return {
      before: async ({ kind }): Promise<Fault | undefined> => {
        const { world } = this
        const { delay = 0, code } = this.#faults.get(path) ?? {}
        await world.pause(delay + world.random.next() * LATENCY)
        const fails = code && CHANGING.has(kind) && world.random.next() < FAILING
        return fails ? { error: diskError(code) } : undefined
      }
    }
  }
}

let machines: Machines | undefined

/** Must be called before a log is opened. */
export const useMachines = (all: Machines): void => void (machines = all)

/** Returns the simulated disk of a path in place of the class `NodeDisk`. */
export const NodeDisk = function (path: string): Disk {
  if (!machines) throw new Error('the simulation has no machines')
  return machines.disk(path)
}

export const createFolders = (): Promise<undefined> => Promise.resolve(undefined)
