// Stores the questions that tokens ask beside the log: a file for each day, replaced at once, with a checksum.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { isMissingFile, orUndefined } from '../events/errors.js'
import { flushPath, replacePath } from '../events/files.js'
import { AccessUsageStore } from '../http/wire/access-usage-store.js'
import { runBeside } from '../http/wire/cooperative-chunks.js'
import { decodeUsage, encodeUsage } from '../http/wire/usage-lines.js'
import { MINUTE_MS } from '../http/wire/token-use.js'
import type { StoredCount } from '../projections/acl/usage/question-store.js'
import { MINUTES_A_DAY } from '../projections/acl/usage/day-counts.js'
import { LOGGER, SETTINGS } from './settings/ports.js'
import type { Settings } from './settings/settings.js'

const FOLDER = 'access-usage'
/** Only the owner may read them, like the log. */
const MODE = 0o600
const NAME = /^day-(\d+)\.ndjson$/
/** Minutes between two files of the current day: a crash loses at most so many. */
const STORE_MINUTES = 5

const nameOf = (day: number): string => `day-${day}.ndjson`

/** Yields the stored counts of a data folder, oldest day first. Damaged files are left out. */
export async function* readUsage(dataDir: string): AsyncGenerator<StoredCount> {
  const folder = join(dataDir, FOLDER)
  const names = (await orUndefined(readdir(folder), isMissingFile)) ?? []
  for (const name of names.filter(each => NAME.test(each)).toSorted()) {
    const counts: StoredCount[] = []
    const decode = async (): Promise<unknown> =>
      runBeside(decodeUsage(await readFile(join(folder, name)), count => counts.push(count)))
    if ((await decode().catch(() => undefined)) !== undefined) yield* counts
  }
}

/** Errors are logged and harmless: what cannot be read or stored is a gap. */
@scoped(Lifecycle.ContainerScoped)
export class AccessUsageFiles {
  readonly #folder: string
  #timer: NodeJS.Timeout | undefined
  #minutes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(
    @inject(SETTINGS) { data_dir: dataDir }: Pick<Settings, 'data_dir'>,
    private readonly store: AccessUsageStore,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    this.#folder = join(dataDir, FOLDER)
  }

  /** Reads the stored days, and starts to record. */
  async open(): Promise<void> {
    await this.#guard(async () => {
      await mkdir(this.#folder, { recursive: true })
      for (const name of await readdir(this.#folder)) await this.#read(name)
    })
    this.store.onErased(() => this.#after(() => this.#storeAll(this.store.coverage.days)))
    this.store.start()
    this.#timer = setInterval(() => this.#tick(), MINUTE_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.store.observe()
    this.#later()
    await this.#writing
  }

  #tick(): void {
    this.store.observe()
    if (++this.#minutes % STORE_MINUTES === 0) this.#later()
  }

  /** Stores the changed days after earlier writes. */
  #later(): void {
    void this.#after(() =>
      this.#guard(async () => {
        const first = await this.store.prune()
        const days = [...this.store.changed].filter(day => day >= first)
        this.store.changed.clear()
        await this.#storeAll(days)
        for (const name of await readdir(this.#folder))
          if (Number(NAME.exec(name)?.[1] ?? first) < first) await this.#remove(name)
      })
    )
  }

  #after(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => {})
    return written
  }

  async #storeAll(days: readonly number[]): Promise<void> {
    const { coverage, questions } = this.store
    for (const day of days) {
      const bytes = await runBeside(encodeUsage(coverage.of(day), questions.ofDay(day)))
      await replacePath(join(this.#folder, nameOf(day)), bytes, { mode: MODE, flush: true })
    }
    await flushPath(this.#folder)
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { force: true })
  }

  /** Reads a file, or removes it if it is damaged: it may contain what is to be erased. */
  async #read(name: string): Promise<void> {
    if (!NAME.test(name)) return this.#remove(name)
    try {
      const bytes = await readFile(join(this.#folder, name))
      const { coverage, questions } = this.store
      const { observed, lost } = await runBeside(decodeUsage(bytes, count => questions.put(count)))
      for (const interval of observed) coverage.add(interval)
      coverage.lose(Number(NAME.exec(name)?.[1]) * MINUTES_A_DAY, lost)
    } catch (error) {
      this.logger.warn(
        { err: error, file: name },
        'the use of rights on one day cannot be read: the file is removed, and the day is a gap in the record'
      )
      await this.#remove(name)
    }
  }

  async #guard(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.logger.warn({ err: error }, 'the use of rights could not be stored')
    }
  }
}
