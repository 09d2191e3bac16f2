// A disk in memory that tracks what is durable, so that a power failure can be simulated at any moment. Each call can be recorded,
// delayed, cut short or failed.
import type { Access, Disk, DiskFile } from '../../events/log/disk-port.js'
import { Inode, LiveNames } from './simulated-state.js'
import type { Random } from './random.js'

/** A call to the disk. */
export interface DiskCall {
  readonly kind:
    'open' | 'read' | 'write' | 'allocate' | 'flush' | 'truncate' | 'rename' | 'unlink' | 'flushNames'
  /** The file's name when it was opened, or the folder's path for `flushNames`. */
  readonly name: string
  /** Number of bytes, for reads and writes. */
  readonly length?: number
}

/** A failure of a call. */
export interface Fault {
  readonly error: NodeJS.ErrnoException
  /** Number of bytes that a failed write stores; default: none. */
  readonly reaches?: number
}

export interface DiskHooks {
  /** Called before a call has any effect. May wait, and returns a fault, or the number of bytes of a short read or write. */
  before?: (call: DiskCall) => Promise<Fault | number | undefined> | Fault | number | undefined
  /** Called after a call has had its effect, before its caller is notified. */
  after?: (call: DiskCall) => void
}

/** An error as the file system reports it. */
export const diskError = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: made by the test`), { code })

/** Returns the size of a file without the reserved space behind its content, which holds nothing that could be lost. */
const usedBytes = (content: Buffer): number => {
  let size = content.length
  while (size > 0 && content[size - 1] === 0) size--
  return size
}

export class SimulatedDisk implements Disk {
  readonly #folders = new Map<string, SimulatedDisk>()
  readonly #watchers = new Map<string, Set<() => void>>()

  constructor(
    readonly path = '/simulated',
    readonly hooks: DiskHooks = {},
    private readonly names = new LiveNames()
  ) {}

  /**
   * Returns the disk after a power failure: everything durable, and any part of the rest in any order.
   * @param block bytes that are written atomically; the content beside a torn write in its block is lost
   */
  powerLoss(random: Random, block = 512): SimulatedDisk {
    const copies = new Map<Inode, Inode>()
    const lost = new SimulatedDisk(this.path, {}, this.names.powerLoss(random, block, copies))
    for (const [name, folder] of this.#folders) lost.#folders.set(name, folder.powerLoss(random, block))
    return lost
  }

  /** Returns the disk after the process was killed: all writes are present, and its locks are released. */
  killed(hooks: DiskHooks = {}): SimulatedDisk {
    const copy = new SimulatedDisk(this.path, hooks, this.names.copy())
    for (const [name, folder] of this.#folders) copy.#folders.set(name, folder.killed(hooks))
    return copy
  }

  /** Returns the current content of a file, which can be changed in place; undefined if it does not exist. */
  content(name: string): Buffer | undefined {
    return this.names.get(name)?.ownLive()
  }

  /** The files of the disk and its folders. */
  *files(): Generator<{ readonly disk: SimulatedDisk; readonly name: string; readonly content: Buffer }> {
    for (const name of this.names.names())
      yield { disk: this, name, content: this.names.get(name)?.live ?? Buffer.alloc(0) }
    for (const folder of this.#folders.values()) yield* folder.files()
  }

  /** Flips a bit of the disk and its folders, where the medium has decayed. @returns the path of its file; undefined without files */
  decay(random: Random): string | undefined {
    const places = [...this.files()].map(file => ({ ...file, size: usedBytes(file.content) }))
    let at = random.below(places.reduce((sum, { size }) => sum + size, 0))
    const chosen = places.find(({ size }) => {
      if (at < size) return true
      at -= size
      return false
    })
    if (!chosen) return undefined
    const decayed = Buffer.from(chosen.content)
    decayed[at] = (decayed[at] ?? 0) ^ (1 << random.below(8))
    chosen.disk.put(chosen.name, decayed)
    return `${chosen.disk.path}/${chosen.name}`
  }

  /** Stores a file durably, without a visible call. */
  put(name: string, content: Uint8Array): void {
    this.names.putDurable(name, Inode.of(content))
  }

  /** Removes a file durably, without a visible call. */
  remove(name: string): void {
    this.names.removeDurable(name)
  }

  async make(): Promise<void> {}

  async list(): Promise<readonly string[]> {
    return [...this.names.names(), ...this.#folders.keys()]
  }

  async open(name: string, access: Access): Promise<DiskFile> {
    await this.call({ kind: 'open', name })
    let inode = this.names.get(name)
    if (!inode) {
      if (access === 'read') throw diskError('ENOENT')
      inode = Inode.of()
      this.names.create(name, inode)
    }
    this.hooks.after?.({ kind: 'open', name })
    return new SimulatedFile(this, name, inode, access)
  }

  async rename(from: string, to: string): Promise<void> {
    await this.call({ kind: 'rename', name: to })
    if (!this.names.get(from)) throw diskError('ENOENT')
    this.names.rename(from, to)
    this.hooks.after?.({ kind: 'rename', name: to })
    this.changed(to)
  }

  async unlink(name: string): Promise<void> {
    await this.call({ kind: 'unlink', name })
    if (!this.names.get(name)) throw diskError('ENOENT')
    this.names.unlink(name)
    this.hooks.after?.({ kind: 'unlink', name })
  }

  async flushNames(): Promise<void> {
    await this.call({ kind: 'flushNames', name: this.path })
    this.names.flush()
    this.hooks.after?.({ kind: 'flushNames', name: this.path })
  }

  folder(name: string): SimulatedDisk {
    let folder = this.#folders.get(name)
    if (!folder) this.#folders.set(name, (folder = new SimulatedDisk(`${this.path}/${name}`, this.hooks)))
    return folder
  }

  async free(): Promise<number> {
    return 1024 ** 3
  }

  async network(): Promise<undefined> {}

  watch(name: string, changed: () => void): () => void {
    if (!this.names.get(name)) throw diskError('ENOENT')
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers.add(changed))
    return () => void watchers.delete(changed)
  }

  /** Calls the hooks before a call. @returns the number of bytes of a short one */
  async call(call: DiskCall): Promise<number> {
    const asked = await this.hooks.before?.(call)
    if (typeof asked === 'object') throw new CallFailed(asked)
    return asked ?? Infinity
  }

  changed(name: string): void {
    for (const tell of this.#watchers.get(name) ?? []) queueMicrotask(tell)
  }

  named(name: string): Inode | undefined {
    return this.names.get(name)
  }
}

/** Converts a fault to the file system's error. */
class CallFailed extends Error {
  readonly code: string | undefined
  readonly reaches: number

  constructor({ error, reaches = 0 }: Fault) {
    super(error.message)
    this.code = error.code
    this.reaches = reaches
  }
}

class SimulatedFile implements DiskFile {
  #open = true

  constructor(
    private readonly disk: SimulatedDisk,
    private readonly name: string,
    private readonly inode: Inode,
    private readonly access: Access
  ) {}

  async size(): Promise<number> {
    return this.inode.live.length
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    this.#check()
    const short = await this.disk.call({ kind: 'read', name: this.name, length: target.length })
    const bytes = this.inode.live.subarray(position, position + Math.min(target.length, short))
    target.set(bytes)
    return bytes.length
  }

  async write(source: Uint8Array, position: number): Promise<number> {
    this.#check('write')
    const call = { kind: 'write', name: this.name, length: source.length } as const
    // A pending write may reach the disk before its caller is notified.
    const bytes = Buffer.from(source)
    const undo = this.inode.begin(position, bytes)
    let written = bytes.length
    try {
      written = Math.min(written, await this.disk.call(call))
    } catch (error) {
      undo()
      if (error instanceof CallFailed && error.reaches > 0)
        this.inode.write(position, bytes.subarray(0, error.reaches))
      throw error
    }
    undo()
    const pending = this.inode.write(position, bytes.subarray(0, written))
    if (this.access === 'durable') this.inode.settle(pending)
    this.disk.hooks.after?.(call)
    this.disk.changed(this.name)
    return written
  }

  async allocate(position: number, length: number): Promise<void> {
    this.#check('write')
    await this.disk.call({ kind: 'allocate', name: this.name, length })
    this.inode.settle(this.inode.write(position, Buffer.alloc(length)))
    this.disk.hooks.after?.({ kind: 'allocate', name: this.name, length })
  }

  async flush(): Promise<void> {
    this.#check()
    await this.disk.call({ kind: 'flush', name: this.name })
    this.inode.flush()
    this.disk.hooks.after?.({ kind: 'flush', name: this.name })
  }

  async truncate(size: number): Promise<void> {
    this.#check()
    if (this.access === 'read') throw diskError('EINVAL')
    await this.disk.call({ kind: 'truncate', name: this.name, length: size })
    this.inode.truncate(size)
    this.disk.hooks.after?.({ kind: 'truncate', name: this.name, length: size })
  }

  lock(place: number, mode: 'exclusive' | 'shared'): boolean {
    this.#check(mode === 'exclusive' ? 'write' : undefined)
    for (const held of this.inode.locks)
      if (held.owner !== this && held.place === place && (mode === 'exclusive' || held.mode === 'exclusive'))
        return false
    this.unlock(place)
    this.inode.locks.push({ owner: this, place, mode })
    return true
  }

  unlock(place: number): void {
    this.inode.locks = this.inode.locks.filter(held => held.owner !== this || held.place !== place)
  }

  async isNamed(name: string): Promise<boolean> {
    return this.disk.named(name) === this.inode
  }

  async close(): Promise<void> {
    this.#open = false
    this.inode.locks = this.inode.locks.filter(held => held.owner !== this)
  }

  #check(access?: 'write'): void {
    if (!this.#open) throw diskError('EBADF')
    if (access === 'write' && this.access === 'read') throw diskError('EBADF')
  }
}
