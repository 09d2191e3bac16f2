// Keeps what was tried and denied, where `audit.denials` asks for it. No request ever waits for it.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../actors/clock.js'
import { formatTime } from '../../events/time.js'
import { Views } from '../../projections/views.js'
import { serializers } from '../logging/serializers.js'
import { LOGGER } from '../program/ports.js'
import { LiveSettings } from '../settings/live-settings.js'
import { DenialFile } from './denial-file.js'
import { withoutWho, type Attempt, type DenialLine } from './denial.js'

/** Attempts of a moment are written together: whoever tries the same again and again makes one line of each. */
const MOMENT_MS = 1000
/** Different attempts of a moment that become lines; the others are counted. */
const MOST_LINES = 256
const LONGEST_PATH = 2048

interface Noted {
  readonly line: DenialLine
  count: number
}

@scoped(Lifecycle.ContainerScoped)
export class DenialLog {
  readonly #live: LiveSettings
  readonly #views: Views
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #file: DenialFile
  /** Those of this moment, by what they were. */
  #noted = new Map<string, Noted>()
  #leftOut = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(live: LiveSettings, views: Views, clock: Clock, @inject(LOGGER) logger: Logger) {
    this.#live = live
    this.#views = views
    this.#clock = clock
    this.#logger = logger
    this.#file = new DenialFile(live.current.data_dir)
  }

  /** Whether attempts are kept. */
  get isOn(): boolean {
    return this.#live.current.audit.denials
  }

  note(attempt: Attempt): void {
    if (!this.isOn) return
    this.#timer ??= setTimeout(() => void this.flush(), MOMENT_MS).unref()
    const { accessor, address, method, url, lacking, refusal } = attempt
    const { permission, on, tenancy } = lacking ?? {}
    const key = JSON.stringify([accessor, address, method, url, permission, on, tenancy, refusal])
    const noted = this.#noted.get(key)
    if (noted) noted.count++
    else if (this.#noted.size < MOST_LINES) this.#noted.set(key, { line: this.#lineOf(attempt), count: 1 })
    else this.#leftOut++
  }

  /** Writes what was noted so far. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = [...this.#noted.values()].map(({ line, count }) =>
      count > 1 ? { ...line, Count: count } : line
    )
    const attempts = [...this.#noted.values()].reduce((sum, { count }) => sum + count, 0)
    if (this.#leftOut > 0) lines.push({ ...this.#now(), LeftOut: this.#leftOut })
    this.#noted = new Map()
    this.#leftOut = 0
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
    const erased = this.#writing.then(() => this.#file.change(text => withoutWho(text, accessor, before)))
    this.#writing = erased.catch(() => {})
    return erased
  }

  /** The lines that are kept, the oldest first, those of this moment included. */
  async *lines(): AsyncGenerator<string> {
    await this.flush()
    yield* this.#file.lines()
  }

  async #write(lines: readonly DenialLine[], attempts: number): Promise<void> {
    try {
      const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
      await this.#file.append(text, this.#live.current.audit.denials_bytes)
    } catch (error) {
      this.#leftOut += attempts + (lines.at(-1)?.LeftOut ?? 0)
      this.#logger.warn({ err: error }, 'denied attempts could not be kept')
    }
  }

  #now(): Pick<DenialLine, 'Time' | 'AfterIndex'> {
    return { Time: formatTime(this.#clock.now()), AfterIndex: this.#views.index }
  }

  #lineOf({ accessor, address, requestId, method, url, lacking, refusal }: Attempt): DenialLine {
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
