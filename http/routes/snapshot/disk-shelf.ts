// Keeps the archive that is being restored in the data folder, until its restore has ended.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../../../actors/refusal.js'
import type { ArchiveShelf, KeptArchive, ProvedArchive } from '../../../actors/snapshot/archive-shelf.js'
import { ciphered, fileKey, readCiphered } from '../../wire/bodies/ciphered-file.js'
import { comingLogFolder } from '../../settings/settings.js'
import type { LiveSettings } from '../../settings/live-settings.js'
import { viewSettings } from '../../program/view-settings.js'
import type { ProofTask } from './proof-messages.js'
import { summed } from './summed.js'
import { syncFolder } from './sync-folder.js'
import { ThreadArchive } from './thread-archive.js'

/** It holds secrets. */
const MODE = 0o600

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

export class DiskShelf implements ArchiveShelf {
  readonly #folder: string
  readonly #kept: string
  readonly #arriving: string
  readonly #live: LiveSettings
  readonly #key: Uint8Array | undefined
  readonly #vkey: () => Promise<string>

  /** @param vkey the key that signs for the log of this server; empty for none */
  constructor(live: LiveSettings, vkey: () => Promise<string>) {
    this.#live = live
    this.#vkey = vkey
    const { data_dir, encryption } = live.current
    this.#folder = data_dir
    this.#key = fileKey(encryption.key, 'restore')
    this.#kept = join(this.#folder, 'restore.tgz')
    this.#arriving = `${this.#kept}.part`
  }

  async take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<KeptArchive> {
    const digest = await this.#store(bytes, signal)
    const archive = await ThreadArchive.prove(await this.#taskOf(this.#arriving, pin), signal)
    await rename(this.#arriving, this.#kept)
    await syncFolder(this.#folder)
    return { archive, digest }
  }

  async reopen(digest: string, signal: AbortSignal): Promise<ProvedArchive | undefined> {
    const sum = createHash('sha256')
    try {
      for await (const chunk of readCiphered(this.#kept, this.#key)) sum.update(chunk)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    return sum.digest('hex') === digest
      ? ThreadArchive.prove(await this.#taskOf(this.#kept), signal)
      : undefined
  }

  async clear(): Promise<void> {
    const coming = comingLogFolder(this.#folder)
    for (const path of [this.#arriving, this.#kept, coming]) await rm(path, { recursive: true, force: true })
  }

  async #taskOf(file: string, pin?: string): Promise<ProofTask> {
    const settings = this.#live.current
    const { snapshot_bytes, snapshot_line_bytes } = settings.limits
    return {
      archive: {
        file,
        key: this.#key,
        limits: { snapshot_bytes, snapshot_line_bytes },
        keys: { vkey: await this.#vkey(), pin }
      },
      folder: comingLogFolder(settings.data_dir),
      encryptionKey: settings.encryption.key,
      settings: viewSettings(settings)
    }
  }

  /** Answers with the digest. @throws Refusal `unavailable` when the disk does not take it */
  async #store(bytes: Readable, signal: AbortSignal): Promise<string> {
    const sum = createHash('sha256')
    try {
      await mkdir(this.#folder, { recursive: true })
      const file = createWriteStream(this.#arriving, { mode: MODE, flush: true })
      await pipeline(ciphered(summed(bytes, sum), this.#key), file, { signal })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refusal) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new Refusal('unavailable', `The snapshot cannot be stored: ${reason}`)
    }
    return sum.digest('hex')
  }
}
