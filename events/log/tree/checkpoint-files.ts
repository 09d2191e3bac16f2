// The files of the signed checkpoints of a log: the newest ones and a selection of older ones.
import { namesIn, readFile, replaceFile, unlinkAll, type Disk } from '../disk-port.js'

/** Number of newest checkpoints that are all retained. */
const NEWEST = 16
/** Of older checkpoints, the last one per so many commits is retained. */
const EACH = 65_536
const DIGITS = 16
const PATTERN = /^(\d{16})-(\d+)\.checkpoint$/

/** Identifies a checkpoint by incarnation and number of commits. */
export interface CheckpointName {
  readonly incarnation: number
  readonly size: number
}

/** Returns true for a text that is no checkpoint or has an invalid signature of the log. */
export type IsDamaged = (text: string, incarnation: number) => boolean

const fileOf = ({ size, incarnation }: CheckpointName): string =>
  `${String(size).padStart(DIGITS, '0')}-${incarnation}.checkpoint`

const parse = (file: string): readonly CheckpointName[] => {
  const [, size, incarnation] = PATTERN.exec(file) ?? []
  return size === undefined ? [] : [{ size: Number(size), incarnation: Number(incarnation) }]
}

const isSame = (a: CheckpointName, b: CheckpointName): boolean =>
  a.size === b.size && a.incarnation === b.incarnation

export class CheckpointFiles {
  #names: CheckpointName[]
  #passedOver: CheckpointName[] = []

  static async open(disk: Disk): Promise<CheckpointFiles> {
    return new CheckpointFiles(disk, (await namesIn(disk)).flatMap(parse))
  }

  private constructor(
    private readonly disk: Disk,
    names: readonly CheckpointName[]
  ) {
    this.#names = names.toSorted((a, b) => a.incarnation - b.incarnation || a.size - b.size)
  }

  /** In the order of incarnation and size. */
  get names(): readonly CheckpointName[] {
    return this.#names
  }

  get newest(): CheckpointName | undefined {
    return this.#names.at(-1)
  }

  get passedOver(): readonly CheckpointName[] {
    return this.#passedOver
  }

  /** Marks a checkpoint as damaged. Its file remains. */
  passOver(name: CheckpointName): void {
    this.#names = this.#names.filter(each => !isSame(each, name))
    this.#passedOver.push(name)
  }

  /** Renames the files of damaged checkpoints, so that later starts ignore them; durable when it resolves. */
  async setAside(): Promise<void> {
    if (this.#passedOver.length === 0) return
    for (const name of this.#passedOver) await this.disk.rename(fileOf(name), `${fileOf(name)}.damaged`)
    await this.disk.flushNames()
  }

  /** Returns the path of the file of a checkpoint, for messages. */
  pathOf(name: CheckpointName): string {
    return `${this.disk.path}/${fileOf(name)}`
  }

  /** Returns the text of a checkpoint, or undefined if its file was removed. */
  async read(name: CheckpointName): Promise<string | undefined> {
    return (await readFile(this.disk, fileOf(name)))?.toString()
  }

  /** Stores a checkpoint that is newer than all others, or a new text of the newest; durable when it resolves. */
  async keep(name: CheckpointName, text: string): Promise<void> {
    await replaceFile(this.disk, fileOf(name), Buffer.from(text))
    const { newest } = this
    if (newest && isSame(newest, name)) return
    this.#names.push(name)
    await this.#thin()
  }

  /** Replaces the text of a checkpoint that still exists; durable when it resolves. */
  async replace(name: CheckpointName, text: string): Promise<void> {
    if (this.#names.some(each => isSame(each, name)))
      await replaceFile(this.disk, fileOf(name), Buffer.from(text))
  }

  /** Removes the checkpoint that has become too old. */
  async #thin(): Promise<void> {
    const at = this.#names.length - 1 - NEWEST
    const [old, next] = this.#names.slice(Math.max(at, 0))
    if (at < 0 || !old || !next || old.incarnation !== next.incarnation) return
    if (Math.floor(old.size / EACH) !== Math.floor(next.size / EACH)) return
    this.#names.splice(at, 1)
    await unlinkAll(this.disk, [fileOf(old)])
  }
}
