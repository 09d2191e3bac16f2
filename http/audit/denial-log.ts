// Records denied attempts if `audit.denials` is set. No request ever waits for it.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../actors/clock.js'
import { formatTime } from '../../events/time.js'
import { Views } from '../../projections/read-models.js'
import { serializers } from '../../server/telemetry/logging/serializers.js'
import { LOGGER } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { AggregatedAttempts, withoutCaller, type DeniedAttempt, type DenialLine } from './denied-attempt.js'
import { DenialFile } from './denial-file.js'

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
      this.logger.warn({ err: error }, 'denied requests could not be stored')
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
