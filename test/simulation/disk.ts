// In place of `events/log/node-disk.ts`: folders of the simulated machines, by their paths.
import type { Disk } from '../../events/log/disk-port.js'
import { SimulatedDisk, type DiskHooks } from '../support/simulated-disk.js'

/** All machines' disks by the path of a log's folder. */
export class Machines {
  readonly #disks = new Map<string, SimulatedDisk>()

  constructor(private readonly hooksOf: (path: string) => DiskHooks) {}

  /** The disk with a folder, which need not exist. */
  disk(path: string): SimulatedDisk {
    const known = this.#disks.get(path)
    if (known) return known
    const disk = new SimulatedDisk(path, this.hooksOf(path))
    this.#disks.set(path, disk)
    return disk
  }

  /** Replaces a disk by what a restart of its process or its machine finds. */
  replace(path: string, change: (disk: SimulatedDisk) => SimulatedDisk): void {
    // A copy, since the disk that a failure leaves has no hooks.
    this.#disks.set(path, change(this.disk(path)).killed(this.hooksOf(path)))
  }

  remove(path: string): void {
    this.#disks.delete(path)
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
