// Stores the last uses of tokens beside the log: lines are appended once a minute, and compacted at times.
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Views } from '../projections/read-models.js'
import { MINUTE_MS, TokenUse } from '../http/wire/token-use.js'
import { LOGGER, SETTINGS } from './settings/ports.js'
import type { Settings } from './settings/settings.js'
import { isMissingFile, orUndefined } from '../events/errors.js'
import { replacePath } from '../events/files.js'

const FILE = 'token-use.txt'
/** Lines beyond twice the number of tokens before the file is compacted. */
const TOLERATED_LINES = 10_000
const LINE = /^(\S+) (\d+)$/

type Use = readonly [accessor: string, minute: number]
const linesOf = (uses: readonly Use[]): string => uses.map(([accessor, at]) => `${accessor} ${at}\n`).join('')

const read = async (path: string): Promise<string> =>
  (await orUndefined(readFile(path, 'utf8'), isMissingFile)) ?? ''

/** Returns the last use of each token in a data folder, in epoch ms. */
export const readTokenUses = async (dataDir: string): Promise<ReadonlyMap<string, number>> => {
  const uses = new Map<string, number>()
  for (const line of (await read(join(dataDir, FILE))).split('\n')) {
    const [, accessor, minute] = LINE.exec(line) ?? []
    if (accessor !== undefined)
      uses.set(accessor, Math.max(uses.get(accessor) ?? 0, Number(minute) * MINUTE_MS))
  }
  return uses
}

/** Errors are logged and harmless: after a crash, at most the uses of a minute are missing. */
@scoped(Lifecycle.ContainerScoped)
export class TokenUseFile {
  readonly #path: string
  #kept = 0
  #added = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(
    @inject(SETTINGS) { data_dir: dataDir }: Pick<Settings, 'data_dir'>,
    private readonly use: TokenUse,
    private readonly views: Views,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    this.#path = join(dataDir, FILE)
  }

  /** Reads the uses of existing tokens, compacts the file, and starts updating it. */
  async open(): Promise<void> {
    await this.#guard(async () => {
      for (const line of (await read(this.#path)).split('\n')) {
        const [, accessor, minute] = LINE.exec(line) ?? []
        if (accessor !== undefined) this.use.recall(accessor, Number(minute))
      }
      await this.#rewrite()
    })
    this.#timer = setInterval(() => this.#flush(), MINUTE_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#flush()
    await this.#writing
  }

  #flush(): void {
    const changed = this.use.takeChanged()
    if (changed.length === 0) return
    this.#added += changed.length
    const isLong = this.#added > 2 * this.#kept + TOLERATED_LINES
    const write = isLong ? () => this.#rewrite() : () => appendFile(this.#path, linesOf(changed))
    this.#writing = this.#writing.then(() => this.#guard(write))
  }

  async #rewrite(): Promise<void> {
    const kept = this.use.keep(accessor => this.views.tokens.get(accessor) !== undefined)
    this.#kept = kept.length
    this.#added = 0
    await replacePath(this.#path, linesOf(kept), {})
  }

  async #guard(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.logger.warn({ err: error }, 'the last uses of tokens could not be stored')
    }
  }
}
