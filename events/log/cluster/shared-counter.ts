// A counter in shared memory, which disappears with its last process.
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
const HALF = 8
/** The value is stored twice. A reader retries if the halves differ. */
const BYTES = 2 * HALF

/** An unlinked file whose descriptor other processes inherit. Reads and writes take about a microsecond. */
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

  /** Called by one process only. Later reads return this value or a higher one. */
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
