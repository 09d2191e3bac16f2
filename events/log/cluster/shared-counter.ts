// A number that the processes of one machine share. Of what it says nothing is lost when they end, and nothing stays behind.
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
const HALF = 8
/** It stands there twice: a reader whose halves differ has met a writer, and looks again. */
const BYTES = 2 * HALF

/** A file without a name, which whoever is to know the number is given open. It only grows, and is read and written in about a microsecond. */
export class SharedCounter {
  readonly #bytes = Buffer.alloc(BYTES)

  /** @param file an open one, as `file` of the process that has made it */
  constructor(/** The open file, to be given to others. */ readonly file: number) {}

  /** A new one, 0 at first. @param folder used where no files can be kept in memory */
  static make(folder: string): SharedCounter {
    const path = join(isWritable(MEMORY) ? MEMORY : folder, `annals-${randomUUID()}`)
    const made = new SharedCounter(openSync(path, 'wx+', 0o600))
    unlinkSync(path)
    made.value = 0
    return made
  }

  get value(): number {
    for (;;) {
      readSync(this.file, this.#bytes, 0, BYTES, 0)
      const first = this.#bytes.readBigUInt64BE(0)
      if (first === this.#bytes.readBigUInt64BE(HALF)) return Number(first)
    }
  }

  /** By one process alone. Whoever reads it after this returns reads this or more. */
  set value(value: number) {
    this.#bytes.writeBigUInt64BE(BigInt(value), 0)
    this.#bytes.writeBigUInt64BE(BigInt(value), HALF)
    writeSync(this.file, this.#bytes, 0, BYTES, 0)
  }

  close(): void {
    closeSync(this.file)
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
