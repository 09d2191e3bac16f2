// The signed checkpoints that are kept beside a log, each a file that holds its text: the newest ones, and of older ones some.
import { namesIn, readFile, replaceFile, unlinkAll, type Disk } from '../disk-port.js'

/** So many of the newest are all kept. */
const NEWEST = 16
/** Of those before, the last one of each so many commits is. */
const EACH = 65_536
const DIGITS = 16
const PATTERN = /^(\d{16})-(\d+)\.checkpoint$/

/** Which checkpoint it is: what its log was then, and how many commits it had. */
export interface CheckpointName {
  readonly incarnation: number
  readonly size: number
}

/** Whether the text of a checkpoint of an incarnation is no checkpoint, or bears a signature of the log's key that does not hold. */
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

  /** Those that are there, by incarnation and size. */
  get names(): readonly CheckpointName[] {
    return this.#names
  }

  /** The newest of the newest incarnation; undefined when there is none. */
  get newest(): CheckpointName | undefined {
    return this.#names.at(-1)
  }

  get passedOver(): readonly CheckpointName[] {
    return this.#passedOver
  }

  /** Takes one out of those that are there, since it is damaged; its file stays. */
  passOver(name: CheckpointName): void {
    this.#names = this.#names.filter(each => !isSame(each, name))
    this.#passedOver.push(name)
  }

  /** Gives the files of those that were passed over other names, so that no start meets them again; durable when it resolves. */
  async setAside(): Promise<void> {
    if (this.#passedOver.length === 0) return
    for (const name of this.#passedOver) await this.disk.rename(fileOf(name), `${fileOf(name)}.damaged`)
    await this.disk.flushNames()
  }

  /** Returns the path of the file of a checkpoint, for messages. */
  pathOf(name: CheckpointName): string {
    return `${this.disk.path}/${fileOf(name)}`
  }

  /** The text of one; undefined when it has gone. */
  async read(name: CheckpointName): Promise<string | undefined> {
    return (await readFile(this.disk, fileOf(name)))?.toString()
  }

  /** Keeps one that is newer than all others, or a text in place of that of the newest; durable when it resolves. */
  async keep(name: CheckpointName, text: string): Promise<void> {
    await replaceFile(this.disk, fileOf(name), Buffer.from(text))
    const { newest } = this
    if (newest && isSame(newest, name)) return
    this.#names.push(name)
    await this.#thin()
  }

  /** Puts a text in place of that of one that is there; durable when it resolves. Nothing is done when it has gone. */
  async replace(name: CheckpointName, text: string): Promise<void> {
    if (this.#names.some(each => isSame(each, name)))
      await replaceFile(this.disk, fileOf(name), Buffer.from(text))
  }

  /** One becomes too old with each that is added. */
  async #thin(): Promise<void> {
    const at = this.#names.length - 1 - NEWEST
    const [old, next] = this.#names.slice(Math.max(at, 0))
    if (at < 0 || !old || !next || old.incarnation !== next.incarnation) return
    if (Math.floor(old.size / EACH) !== Math.floor(next.size / EACH)) return
    this.#names.splice(at, 1)
    await unlinkAll(this.disk, [fileOf(old)])
  }
}
