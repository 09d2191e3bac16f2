// A disk that delegates to another one, and records every call that changes something.
import { basename } from 'node:path'
import type { Access, Disk, DiskFile } from '../../events/log/disk-port.js'

/** A change of the folder: the operation, the file (or the folder's own name), and the number of bytes of writes. */
export type Recorded = readonly [
  kind: 'write' | 'flush' | 'truncate' | 'rename' | 'unlink',
  name: string,
  bytes?: number
]

export class RecordingDisk implements Disk {
  constructor(
    private readonly disk: Disk,
    private readonly tell: (call: Recorded) => void
  ) {}

  get path(): string {
    return this.disk.path
  }

  make(): Promise<void> {
    return this.disk.make()
  }

  list(): Promise<readonly string[]> {
    return this.disk.list()
  }

  async open(name: string, access: Access): Promise<DiskFile> {
    return new RecordingFile(await this.disk.open(name, access), name, this.tell)
  }

  async rename(from: string, to: string): Promise<void> {
    await this.disk.rename(from, to)
    this.tell(['rename', to])
  }

  async unlink(name: string): Promise<void> {
    await this.disk.unlink(name)
    this.tell(['unlink', name])
  }

  async flushNames(): Promise<void> {
    await this.disk.flushNames()
    this.tell(['flush', basename(this.path)])
  }

  folder(name: string): Disk {
    return new RecordingDisk(this.disk.folder(name), this.tell)
  }

  free(): Promise<number> {
    return this.disk.free()
  }

  network(): Promise<string | undefined> {
    return this.disk.network()
  }

  watch(name: string, changed: () => void): () => void {
    return this.disk.watch(name, changed)
  }
}

class RecordingFile implements DiskFile {
  constructor(
    private readonly file: DiskFile,
    private readonly name: string,
    private readonly tell: (call: Recorded) => void
  ) {}

  size(): Promise<number> {
    return this.file.size()
  }

  read(target: Uint8Array, position: number): Promise<number> {
    return this.file.read(target, position)
  }

  async write(source: Uint8Array, position: number): Promise<number> {
    const written = await this.file.write(source, position)
    this.tell(['write', this.name, written])
    return written
  }

  async allocate(position: number, length: number): Promise<void> {
    await this.file.allocate(position, length)
    this.tell(['write', this.name, length])
    this.tell(['flush', this.name])
  }

  async flush(): Promise<void> {
    await this.file.flush()
    this.tell(['flush', this.name])
  }

  async truncate(size: number): Promise<void> {
    await this.file.truncate(size)
    this.tell(['truncate', this.name])
  }

  lock(place: number, mode: 'exclusive' | 'shared'): boolean {
    return this.file.lock(place, mode)
  }

  unlock(place: number): void {
    this.file.unlock(place)
  }

  isNamed(name: string): Promise<boolean> {
    return this.file.isNamed(name)
  }

  close(): Promise<void> {
    return this.file.close()
  }
}
