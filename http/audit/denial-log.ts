// Keeps what was tried and denied, where `audit.denials` asks for it. No request ever waits for it.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../actors/clock.js'
import { formatTime } from '../../events/time.js'
import { Views } from '../../projections/read-models.js'
import { serializers } from '../../server/telemetry/logging/serializers.js'
import { LOGGER } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { AggregatedAttempts, withoutCaller, type DeniedAttempt, type DenialLine } from './denied-attempt.js'
import { appendFile, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../events/errors.js'

/** The two files that denied attempts are kept in: one that grows, and the one that was full before it. */
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

class DenialFile {
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

/** Writes attempts in batches: repetitions of one attempt share a line. */
const MOMENT_MS = 1000
const LONGEST_PATH = 2048

@scoped(Lifecycle.ContainerScoped)
export class DenialLog {
  readonly #file: DenialFile
  /** Those of this moment, as the lines that they become. */
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

  /** Whether attempts are kept. */
  get isOn(): boolean {
    return this.live.current.audit.denials
  }

  /** @param count how often it was tried */
  note(attempt: DeniedAttempt, count = 1): void {
    if (!this.isOn) return
    this.#flushSoon()
    this.#noted.add(attempt, count)
  }

  /** Counts attempts whose details are lost. */
  leaveOut(count: number): void {
    if (!this.isOn || count === 0) return
    this.#flushSoon()
    this.#noted.leaveOut(count)
  }

  /** Writes what was noted so far. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { tried, leftOut } = this.#noted.take()
    const lines = tried.map(({ kept, count }) => (count > 1 ? { ...kept, Count: count } : kept))
    const attempts = tried.reduce((sum, { count }) => sum + count, 0)
    if (leftOut > 0) lines.push({ ...this.#now(), LeftOut: leftOut })
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#write(lines, attempts))
    return this.#writing
  }

  /**
   * Erases who made the attempts of one accessor, and from where; durable when it resolves.
   * @param before index of the commit that ordered it: later attempts stay
   * @throws what the file system reports
   */
  async erase(accessor: string, before: number): Promise<void> {
    await this.flush()
    const erased = this.#writing.then(() => this.#file.change(text => withoutCaller(text, accessor, before)))
    this.#writing = erased.catch(() => {})
    return erased
  }

  /** The lines that are kept, the oldest first, those of this moment included. */
  async *lines(): AsyncGenerator<string> {
    await this.flush()
    yield* this.#file.lines()
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), MOMENT_MS).unref()
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
