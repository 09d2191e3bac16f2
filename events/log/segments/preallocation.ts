// Files of zeros, allocated and locked, that segments are made of: so that no write waits for one, and a full disk has one left.
import { hasCode } from '../../errors.js'
import type { Disk, DiskFile } from '../disk-port.js'
import { lockAsWriter } from './folder-lock.js'
import { RESERVE } from './format.js'

/** Settles like `work`, or rejects after `ms`. The work continues and its result is ignored. @throws Error */
export const withTimeout = <T>(ms: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the disk has not answered within ${ms} ms`)), ms)
    const settle =
      <Value>(by: (value: Value) => void) =>
      (value: Value): void => {
        clearTimeout(timer)
        by(value)
      }
    work.then(settle(resolve), settle(reject))
  })

/** Bytes of such a file: what a segment has at first. */
export const PREALLOCATED_BYTES = 256 * 1024
/** Files that will become segments, until they have their header. */
export const PREALLOCATED_FILE = /^next-\d+$/

interface PreallocatedFile {
  readonly name: string
  readonly file: DiskFile
  /** Bytes allocated. */
  readonly size: number
}

/** No room: on the disk, in the owner's quota, or in what a file may have. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].some(code => hasCode(error, code))

export class PreallocatedSegments {
  /** Its size is 0 until it is filled. */
  #reserve: PreallocatedFile | undefined
  #next: PreallocatedFile | undefined
  #preparing: Promise<void> | undefined
  #filling: Promise<void> | undefined
  #made = 0

  /** @param reserve the file of the reserve, locked. @param patience how long the disk may take for a file, in ms */
  constructor(
    private readonly disk: Disk,
    reserve: DiskFile,
    private readonly patience: number
  ) {
    this.#reserve = { name: RESERVE, file: reserve, size: 0 }
  }

  /** Bytes of the reserve; 0 when it was used. */
  get reserved(): number {
    return this.#reserve?.size ?? 0
  }

  /** Makes the reserve where there is none. @throws what the file system reports */
  async keepReserve(): Promise<void> {
    if (this.reserved > 0) return
    const file = this.#reserve?.file ?? (await this.#open(RESERVE))
    this.#reserve = { name: RESERVE, file, size: 0 }
    this.#filling ??= fill(file).finally(() => (this.#filling = undefined))
    await withTimeout(this.patience, this.#filling)
    this.#reserve = { name: RESERVE, file, size: PREALLOCATED_BYTES }
  }

  /** Prepares the next file in the background. A failure is met again by `take`. */
  prepare(): void {
    if (this.#next) return
    this.#preparing ??= this.#make()
      .then(
        prepared => void (this.#next = prepared),
        () => {}
      )
      .finally(() => (this.#preparing = undefined))
  }

  /** A prepared file, or if there is no room for one and it may be used, the reserve. @throws what the file system reports */
  async take({ fromReserve }: { readonly fromReserve: boolean }): Promise<PreallocatedFile> {
    await this.#preparing
    const next = this.#next
    this.#next = undefined
    if (next) return next
    try {
      return await this.#make()
    } catch (error) {
      const reserve = this.#reserve
      if (!fromReserve || !reserve || reserve.size === 0 || !isDiskFull(error)) throw error
      this.#reserve = undefined
      return reserve
    }
  }

  /** Removes an unrenamed file that became no segment. While open it stays locked, which blocks a new reserve of this name. */
  async discard({ name, file }: PreallocatedFile): Promise<void> {
    // Only then is it closed: another file of this name would be removed otherwise.
    if (await file.isNamed(name).catch(() => false)) await this.disk.unlink(name).catch(() => {})
    await file.close().catch(() => {})
  }

  async close(): Promise<void> {
    await this.#preparing
    // It continues after the timeout, when its descriptor may belong to another file.
    await this.#filling?.catch(() => {})
    await this.#reserve?.file.close()
    if (!this.#next) return
    await this.#next.file.close()
    await this.disk.unlink(this.#next.name).catch(() => {})
  }

  async #make(): Promise<PreallocatedFile> {
    const name = `next-${++this.#made}`
    const file = await this.#open(name)
    try {
      await fill(file)
      return { name, file, size: PREALLOCATED_BYTES }
    } catch (error) {
      await file.close()
      await this.disk.unlink(name).catch(() => {})
      throw error
    }
  }

  async #open(name: string): Promise<DiskFile> {
    const file = await this.disk.open(name, 'durable')
    try {
      await lockAsWriter(this.disk, name, file)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

/** Makes a file zeros. The room that it has stays its own. */
async function fill(file: DiskFile): Promise<void> {
  if ((await file.size()) > PREALLOCATED_BYTES) await file.truncate(PREALLOCATED_BYTES)
  await file.allocate(0, PREALLOCATED_BYTES)
}
