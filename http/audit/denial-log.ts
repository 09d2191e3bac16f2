// Records denied attempts if `audit.denials` is set. No request ever waits for it.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../actors/clock.js'
import { formatTime } from '../../events/time.js'
import { Views } from '../../projections/read-models.js'
import { serializers } from '../../server/telemetry/logging/serializers.js'
import { LOGGER } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { AggregatedAttempts, withoutCaller, type DeniedAttempt, type DenialLine } from './denied-attempt.js'
import { appendFile, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../events/errors.js'

const FILE = 'denials.ndjson'
const BEFORE = 'denials.1.ndjson'
/** Only the owner may read them, like the log. */
const MODE = 0o600

const unlessMissing = async <T>(result: Promise<T>): Promise<T | undefined> => {
  try {
    return await result
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

class DenialFile {
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
  await writeFile(`${path}.new`, data, { mode: MODE, flush: true })
  await rename(`${path}.new`, path)
  const folder = await open(dirname(path))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Attempts are written in batches after this time in ms; repetitions of one attempt share a line. */
const BATCH_MS = 1000
const LONGEST_PATH = 2048

@scoped(Lifecycle.ContainerScoped)
export class DenialLog {
  readonly #file: DenialFile
  readonly #noted = new AggregatedAttempts(attempt => this.#lineOf(attempt))
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly live: LiveSettings,
    private readonly views: Views,
    private readonly clock: Clock,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    this.#file = new DenialFile(live.current.data_dir)
  }

  get isOn(): boolean {
    return this.live.current.audit.denials
  }

  /** @param count number of repetitions */
  note(attempt: DeniedAttempt, count = 1): void {
    if (!this.isOn) return
    this.#flushSoon()
    this.#noted.add(attempt, count)
  }

  leaveOut(count: number): void {
    if (!this.isOn || count === 0) return
    this.#flushSoon()
    this.#noted.leaveOut(count)
  }

  /** Writes the current batch. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { tried, leftOut } = this.#noted.take()
    const lines = tried.map(({ kept: line, count }) => (count > 1 ? { ...line, Count: count } : line))
    const attempts = tried.reduce((sum, { count }) => sum + count, 0)
    if (leftOut > 0) lines.push({ ...this.#now(), LeftOut: leftOut })
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#write(lines, attempts))
    return this.#writing
  }

  /**
   * Erases the origin of the attempts of one accessor; durable when it resolves.
   * @param before index of the erasure's commit, after which attempts stay
   * @throws errors of the file system
   */
  async erase(accessor: string, before: number): Promise<void> {
    await this.flush()
    const erased = this.#writing.then(() => this.#file.change(text => withoutCaller(text, accessor, before)))
    this.#writing = erased.catch(() => {})
    return erased
  }

  /** Yields the recorded lines, oldest first, including the current batch. */
  async *lines(): AsyncGenerator<string> {
    await this.flush()
    yield* this.#file.lines()
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref()
  }

  async #write(lines: readonly DenialLine[], attempts: number): Promise<void> {
    try {
      const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
      await this.#file.append(text, this.live.current.audit.denials_bytes)
    } catch (error) {
      this.#noted.leaveOut(attempts + (lines.at(-1)?.LeftOut ?? 0))
      this.logger.warn({ err: error }, 'denied attempts could not be kept')
    }
  }

  #now(): Pick<DenialLine, 'Time' | 'AfterIndex'> {
    return { Time: formatTime(this.clock.now()), AfterIndex: this.views.index }
  }

  #lineOf({ accessor, address, requestId, method, url, lacking, refusal }: DeniedAttempt): DenialLine {
    return {
      ...this.#now(),
      AccessorID: accessor,
      Address: address,
      RequestID: requestId,
      Method: method,
      Path: serializers.req({ url }).url.slice(0, LONGEST_PATH),
      ...(lacking && {
        Permission: lacking.permission,
        On: lacking.on,
        Namespace: lacking.tenancy.namespace,
        Partition: lacking.tenancy.partition
      }),
      ...(refusal === undefined ? {} : { Refusal: refusal })
    }
  }
}
