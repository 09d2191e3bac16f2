// The snapshots beside a log, of which the last two are kept. All of them can be lost at any time: that costs time.
import { namesIn, unlinkAll, type Disk } from '../disk-port.js'
import {
  DamagedSnapshot,
  type Block,
  type SnapshotBuilder,
  type SnapshotHeader,
  type SnapshotSource
} from './format.js'
import { SnapshotReader } from './read.js'
import { writeSnapshotFile } from './write.js'

const NAME = /^(\d{16})\.snapshot$/
const TEMPORARY = /^(\d{16})\.snapshot\.\d+\.new$/

const nameOf = (index: number): string => `${String(index).padStart(16, '0')}.snapshot`

export class Snapshots {
  /** @param disk the folder of the snapshots, which need not exist */
  constructor(
    private readonly disk: Disk,
    private readonly log: SnapshotSource,
    private readonly builder: SnapshotBuilder
  ) {}

  /** Indexes of the snapshots that are there, sound or not, the newest first. */
  async indexes(): Promise<readonly number[]> {
    const indexes = (await namesIn(this.disk)).flatMap(name => NAME.exec(name)?.[1] ?? [])
    return indexes.map(Number).toSorted((a, b) => b - a)
  }

  /** Where the snapshot of an index is, for messages. */
  pathOf(index: number): string {
    return `${this.disk.path}/${nameOf(index)}`
  }

  /** Opens the snapshot of an index. @throws DamagedSnapshot when it is not of this log up to there, or was made by another program */
  async open(index: number): Promise<SnapshotReader> {
    const file = await this.disk.open(nameOf(index), 'read')
    try {
      const reader = await SnapshotReader.begin(file, this.log)
      await this.#check(reader.header, index)
      return reader
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Writes the snapshot of a durable index. Keeps the previous snapshot and removes all others, including unusable later ones. */
  async write(index: number, blocks: Iterable<Block>): Promise<void> {
    const { log, builder } = this
    await writeSnapshotFile(this.disk, nameOf(index), { index, blocks, log, builder })
    await this.#keep(index)
  }

  /** Removes the snapshots of what was before an index; durable when it resolves. */
  async removeBefore(index: number): Promise<void> {
    const old = (await this.indexes()).filter(other => other < index)
    if (old.length === 0) return
    await unlinkAll(this.disk, old.map(nameOf))
    await this.disk.flushNames()
  }

  async #check({ Index, Form, Program, Hash }: SnapshotHeader, index: number): Promise<void> {
    const { program, form } = this.builder
    if (Index !== index) throw new DamagedSnapshot(`it is of commit ${Index}`)
    if (Form !== form || Program !== program)
      throw new DamagedSnapshot(`version ${Program} made it, whose read models may differ`)
    if (index > this.log.durableIndex)
      throw new DamagedSnapshot(`the log ends at commit ${this.log.durableIndex}`)
    if ((await this.log.hashAt(index)) !== Hash)
      throw new DamagedSnapshot(`it is of another log: its commit ${index} has another hash`)
  }

  async #keep(index: number): Promise<void> {
    const before = (await this.indexes()).find(other => other < index)
    for (const name of await namesIn(this.disk)) {
      const [, whole] = NAME.exec(name) ?? []
      const [, begun] = TEMPORARY.exec(name) ?? []
      const isOther = whole !== undefined && Number(whole) !== index && Number(whole) !== before
      // What a writer that ended before its end has left.
      const isLeft = begun !== undefined && Number(begun) <= index
      if (isOther || isLeft) await unlinkAll(this.disk, [name])
    }
    await this.disk.flushNames()
  }
}
