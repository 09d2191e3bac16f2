// The two files that denied attempts are kept in: one that grows, and the one that was full before it.
import { appendFile, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../events/errors.js'

const FILE = 'denials.ndjson'
const BEFORE = 'denials.1.ndjson'
/** They are their owner's only, as the log is. */
const MODE = 0o600

/** Undefined where there is no such file. */
const opened = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

export class DenialFile {
  readonly #path: string
  readonly #before: string
  #size: number | undefined

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE)
    this.#before = join(dataDir, BEFORE)
  }

  /** Adds lines. @param most bytes that the two files may have together */
  async append(lines: string, most: number): Promise<void> {
    // The last line of a process that was killed may have no end.
    const text = this.#size === undefined ? `\n${lines}` : lines
    const bytes = Buffer.byteLength(text)
    this.#size ??= await sizeOf(this.#path)
    if (this.#size > 0 && this.#size + bytes > most / 2) {
      await rename(this.#path, this.#before)
      this.#size = 0
    }
    // What is written only in part is counted by a look at the file.
    const size = this.#size
    this.#size = undefined
    await appendFile(this.#path, text, { mode: MODE })
    this.#size = size + bytes
  }

  /**
   * Changes lines where they are; durable when it resolves. Nothing may be added meanwhile.
   * @param change gets a line and answers with what takes its place
   */
  async change(change: (line: string) => string): Promise<void> {
    for (const path of [this.#before, this.#path]) await changeLines(path, change)
    this.#size = undefined
  }

  /** The lines that there are, the oldest first. What is added or taken away meanwhile changes nothing of them. */
  async *lines(): AsyncGenerator<string> {
    const handles = [await opened(this.#before), await opened(this.#path)]
    try {
      for (const handle of handles) if (handle) yield* handle.readLines({ autoClose: false })
    } finally {
      for (const handle of handles) await handle?.close()
    }
  }
}

/** Nothing is written where no line changes. What a process that was killed has left half written goes. */
const changeLines = async (path: string, change: (line: string) => string): Promise<void> => {
  await rm(`${path}.new`, { force: true })
  const lines = await linesIn(path)
  const changed = lines.map(change)
  if (changed.every((line, number) => line === lines[number])) return
  const target = await open(`${path}.new`, 'w', MODE)
  try {
    await target.writeFile(changed.map(line => `${line}\n`).join(''))
    await target.sync()
  } finally {
    await target.close()
  }
  await rename(`${path}.new`, path)
  const folder = await open(dirname(path))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const linesIn = async (path: string): Promise<readonly string[]> => {
  const file = await opened(path)
  if (!file) return []
  try {
    return (await file.readFile('utf8')).split('\n').filter(line => line !== '')
  } finally {
    await file.close()
  }
}

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}
