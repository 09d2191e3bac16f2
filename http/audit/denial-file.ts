// The files of denied attempts in the data folder.
import { appendFile, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMissingFile, orUndefined } from '../../events/errors.js'
import { flushPath, replacePath } from '../../events/files.js'

const FILE = 'denials.ndjson'
const BEFORE = 'denials.1.ndjson'
/** Only the owner may read them, like the log. */
const MODE = 0o600

const unlessMissing = <T>(result: Promise<T>): Promise<T | undefined> => orUndefined(result, isMissingFile)

export class DenialFile {
  readonly #path: string
  readonly #before: string
  #size: number | undefined

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE)
    this.#before = join(dataDir, BEFORE)
  }

  /** Appends lines. @param most maximum bytes of both files together */
  async append(lines: string, most: number): Promise<void> {
    // The last line of a killed process may be incomplete.
    const text = this.#size === undefined ? `\n${lines}` : lines
    const bytes = Buffer.byteLength(text)
    this.#size ??= (await unlessMissing(stat(this.#path)))?.size ?? 0
    if (this.#size > 0 && this.#size + bytes > most / 2) {
      await rename(this.#path, this.#before)
      this.#size = 0
    }
    // After a partial write, the size is read from the file.
    const size = this.#size
    this.#size = undefined
    await appendFile(this.#path, text, { mode: MODE })
    this.#size = size + bytes
  }

  /**
   * Changes lines in place; durable when it resolves. Must not run concurrently with `append`.
   * @param change returns the replacement of a line
   */
  async change(change: (line: string) => string): Promise<void> {
    for (const path of [this.#before, this.#path]) await changeLines(path, change)
    this.#size = undefined
  }

  /** Yields the current lines, oldest first; later changes do not affect them. */
  async *lines(): AsyncGenerator<string> {
    const handles = [await unlessMissing(open(this.#before)), await unlessMissing(open(this.#path))]
    try {
      for (const handle of handles) if (handle) yield* handle.readLines({ autoClose: false })
    } finally {
      for (const handle of handles) await handle?.close()
    }
  }
}

/** Rewrites a file if a line changes. Removes what a killed process has left half written. */
const changeLines = async (path: string, change: (line: string) => string): Promise<void> => {
  await rm(`${path}.new`, { force: true })
  const text = await unlessMissing(readFile(path, 'utf8'))
  const lines = text?.split('\n').filter(line => line !== '') ?? []
  const changed = lines.map(change)
  if (changed.every((line, number) => line === lines[number])) return
  const data = changed.map(line => `${line}\n`).join('')
  await replacePath(path, data, { mode: MODE, flush: true })
  await flushPath(dirname(path))
}
