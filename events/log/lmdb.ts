// The embedded log on disk. Several processes may read it while one writes.
import { existsSync, mkdirSync } from 'node:fs'
import { readJournal } from './journal.js'
import { JournaledStore } from './journaled-store.js'
import { LmdbStore } from './lmdb-store.js'
import { LogUnusable } from './log.js'
import { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'
import { StoredLog } from './stored-log.js'
import { claimInProcess, lockForWriting } from './writer-lock.js'

export interface LmdbLogOptions {
  /** Folder of the log; made when it is missing, unless `readOnly`. */
  readonly path: string
  /** 32 bytes: encrypts the secrets at rest. Once given, it must always be given. */
  readonly key?: Buffer | undefined
  /**
   * Beside a writer in another process: nothing can be appended, and what the writer appends is noticed some 30 ms later.
   * The process does not end by itself before such a log is closed.
   */
  readonly readOnly?: boolean
}

/** How often a reader looks for what the writer has added, in ms; a look costs some microseconds. */
const LOOK_EVERY = 10

export class LmdbEventLog extends StoredLog {
  #release: () => Promise<void>
  readonly #looking: NodeJS.Timeout | undefined

  private constructor(
    store: RecordStore,
    vault: SecretsVault,
    readOnly: boolean,
    release: () => Promise<void>
  ) {
    super(store, vault, readOnly ? 'it is open for reading only' : undefined)
    this.#release = release
    this.#looking = readOnly ? setInterval(() => this.refresh(), LOOK_EVERY) : undefined
  }

  /** @throws LogUnusable when another process writes it, its format is newer, its key another, or its newest record damaged */
  static async open(options: LmdbLogOptions): Promise<LmdbEventLog> {
    const { path, key, readOnly = false } = options
    const vault = new SecretsVault(key)
    if (!existsSync(path)) {
      if (readOnly) throw new LogUnusable(`there is no log in ${path}`)
      mkdirSync(path, { recursive: true, mode: 0o700 })
    }
    const unclaim = claimInProcess(path)
    const held: (() => Promise<void>)[] = [async () => unclaim()]
    const release = async (): Promise<void> => {
      for (const each of held.toReversed()) await each()
    }
    try {
      if (!readOnly) held.push(lockForWriting(path))
      const found = readJournal(path)
      const lmdb = new LmdbStore(path, readOnly, vault)
      held.push(() => lmdb.close())
      const store = new JournaledStore(lmdb, { folder: path, found, readOnly })
      held.push(() => store.close())
      return new LmdbEventLog(store, vault, readOnly, release)
    } catch (error) {
      await release()
      if (error instanceof LogUnusable) throw error
      throw new LogUnusable(`the log in ${path} cannot be opened: ${String(error)}`, { cause: error })
    }
  }

  override async close(): Promise<void> {
    clearInterval(this.#looking)
    await super.close()
    await this.#release()
    this.#release = async () => {}
  }
}
