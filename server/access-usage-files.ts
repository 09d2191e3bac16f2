// Stores the questions that tokens ask beside the log: a file for each day, replaced at once, with a checksum.
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { AccessUsageStore } from '../http/wire/access-usage-store.js'
import { runInChunks } from '../http/wire/cooperative-chunks.js'
import { MINUTE_MS } from '../http/wire/token-use.js'
import type { DayCoverage } from '../projections/acl/usage/coverage.js'
import { MINUTES_A_DAY } from '../projections/acl/usage/day-counts.js'
import type { Holdings } from '../projections/acl/usage/question.js'
import type { StoredCount } from '../projections/acl/usage/question-store.js'
import { StepPace, type Steps } from '../projections/steps.js'
import { LOGGER, SETTINGS } from './settings/ports.js'
import type { Settings } from './settings/settings.js'

const FOLDER = 'access-usage'
const VERSION = 1
/** Only the owner may read them, like the log. */
const MODE = 0o600
const NAME = /^day-(\d+)\.ndjson$/
/** Minutes between two files of the current day: a crash loses at most so many. */
const STORE_MINUTES = 5

const nameOf = (day: number): string => `day-${day}.ndjson`

const identities = Type.Array(Type.Record(Type.String(), Type.Unknown()))
const links = Type.Array(Type.Object({ ID: Type.String() }))
const head = Type.Object({
  version: Type.Literal(VERSION),
  day: Type.Integer(),
  observed: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  lost: Type.Integer()
})
const subjectLine = Type.Object({
  accessor: Type.Optional(Type.String()),
  holdings: Type.Unsafe<Holdings>(
    Type.Object({
      tenancy: Type.Object({ partition: Type.String(), namespace: Type.String() }),
      Policies: links,
      Roles: links,
      ServiceIdentities: identities,
      NodeIdentities: identities,
      Rules: Type.Optional(Type.String())
    })
  )
})
const countLine = Type.Tuple([
  Type.Integer(),
  Type.String(),
  Type.String(),
  Type.String(),
  Type.Enum(['one', 'list', 'collapsed']),
  Type.Integer(),
  Type.Integer(),
  Type.Integer()
])

/** Encodes a day. */
function* encodeDay(day: number, coverage: DayCoverage, counts: Iterable<StoredCount>): Steps<Buffer> {
  const pace = new StepPace()
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  const add = (line: unknown): void => {
    const piece = Buffer.from(`${JSON.stringify(line)}\n`)
    hash.update(piece)
    pieces.push(piece)
  }
  add({ version: VERSION, day, ...coverage })
  let subject: StoredCount['subject'] | undefined
  for (const { subject: of, code, partition, namespace, segment, extent, count, first, last } of counts) {
    if (of.accessor !== subject?.accessor || of.holdings !== subject?.holdings) add((subject = of))
    add([code, partition, namespace, segment, extent, count, first, last])
    if (pace.isOver()) yield
  }
  pieces.push(Buffer.from(`${JSON.stringify({ sha256: hash.digest('hex') })}\n`))
  return Buffer.concat(pieces)
}

/** Yields the lines of a file before its checksum. @throws Error if it is damaged */
const checkedLines = (bytes: Buffer): readonly string[] => {
  const end = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  const stated: unknown = JSON.parse(bytes.subarray(end).toString())
  const sha256 = createHash('sha256').update(bytes.subarray(0, end)).digest('hex')
  if (!Value.Equal(stated, { sha256 })) throw new Error('the checksum does not match')
  return bytes
    .subarray(0, end - 1)
    .toString()
    .split('\n')
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
      const bytes = await runInChunks(encodeDay(day, coverage.of(day), questions.ofDay(day)))
      const path = join(this.#folder, nameOf(day))
      await writeFile(`${path}.new`, bytes, { mode: MODE, flush: true })
      await rename(`${path}.new`, path)
    }
    const folder = await open(this.#folder)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { force: true })
  }

  /** Reads a file, or removes it if it is damaged: it may contain what is to be erased. */
  async #read(name: string): Promise<void> {
    if (!NAME.test(name)) return this.#remove(name)
    try {
      await runInChunks(this.#load(checkedLines(await readFile(join(this.#folder, name)))))
    } catch (error) {
      this.logger.warn(
        { err: error, file: name },
        'the use of rights on one day cannot be read: the file is removed, and the day is a gap in the record'
      )
      await this.#remove(name)
    }
  }

  /** @throws AssertError for lines of another form */
  *#load([first = '', ...lines]: readonly string[]): Steps<void> {
    const { coverage, questions } = this.store
    const pace = new StepPace()
    const { day, observed, lost } = Value.Parse(head, JSON.parse(first))
    let subject: StoredCount['subject'] | undefined
    for (const line of lines) {
      if (pace.isOver()) yield
      const parsed: unknown = JSON.parse(line)
      if (!Array.isArray(parsed)) {
        const { accessor, holdings } = Value.Parse(subjectLine, parsed)
        subject = { accessor, holdings }
        continue
      }
      if (!subject) throw new Error('a count has no token')
      const [code, partition, namespace, segment, extent, count, from, to] = Value.Parse(countLine, parsed)
      questions.put({ subject, code, partition, namespace, segment, extent, count, first: from, last: to })
    }
    for (const interval of observed) coverage.add(interval)
    coverage.lose(day * MINUTES_A_DAY, lost)
  }

  async #guard(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.logger.warn({ err: error }, 'the use of rights could not be stored')
    }
  }
}
