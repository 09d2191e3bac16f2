// Stores the archive of a running restore in the data folder.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import { Refusal } from '../../../actors/refusal.js'
import type { ArchiveStore, StoredArchive, VerifiedArchive } from '../../../actors/snapshot/archive-store.js'
import { encryptedStream, fileKey, readEncrypted } from '../../wire/bodies/encrypted-file.js'
import { incomingLogFolder, viewSettings, type LiveSettings } from '../../../server/settings/settings.js'
import type { VerificationTask } from './verification-messages.js'
import { withChecksum } from './tar.js'
import { flushPath } from '../../../events/files.js'
import { ThreadArchive } from './thread-archive.js'
import { hasCode, messageOf } from '../../../events/errors.js'

/** Archives contain secrets. */
const MODE = 0o600

/** Returns the digest of the archive in a file; undefined without a file. */
const digestOf = async (file: string, key: Uint8Array | undefined): Promise<string | undefined> => {
  const sum = createHash('sha256')
  try {
    for await (const chunk of readEncrypted(file, key)) sum.update(chunk)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  return sum.digest('hex')
}

/** @throws Refusal `unavailable` if the disk rejects the work; the reason of `signal` */
const onDisk = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Refusal) throw error
    throw new Refusal('snapshot.unavailable', `The snapshot cannot be stored: ${messageOf(error)}`)
  }
}

export class DiskArchiveStore implements ArchiveStore {
  readonly #folder: string
  readonly #kept: string
  readonly #arriving: string
  readonly #key: Uint8Array | undefined
  /** All incoming archives use the same file. */
  readonly #turns = pLimit(1)

  /** @param vkey the key that signs for the log of this server; empty for none */
  constructor(
    private readonly live: LiveSettings,
    private readonly vkey: () => Promise<string>
  ) {
    const { data_dir, encryption } = live.current
    this.#folder = data_dir
    this.#key = fileKey(encryption.key, 'restore')
    this.#kept = join(this.#folder, 'restore.tgz')
    this.#arriving = `${this.#kept}.part`
  }

  take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive> {
    return this.#turns(() => this.#take(bytes, signal, pin))
  }

  async #take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive> {
    const digest = await onDisk(signal, () => this.#store(bytes, signal))
    const archive = await ThreadArchive.prove(await this.#taskOf(this.#arriving, pin), signal)
    try {
      await onDisk(signal, () => this.#publish())
    } catch (error) {
      await archive.close()
      throw error
    }
    return { archive, digest }
  }

  async reopen(digest: string, signal: AbortSignal): Promise<VerifiedArchive | undefined> {
    return (await digestOf(this.#kept, this.#key)) === digest
      ? ThreadArchive.prove(await this.#taskOf(this.#kept), signal)
      : undefined
  }

  /** Returns the stored file for a server with the same `encryption.key`; undefined if it is not stored. */
  async file(digest: string): Promise<Readable | undefined> {
    return (await digestOf(this.#kept, this.#key)) === digest ? createReadStream(this.#kept) : undefined
  }

  /**
   * Stores the file of another server's archive.
   * @throws Error for a wrong digest or an incomplete file; nothing is stored then
   */
  keep(digest: string, file: Readable, signal: AbortSignal): Promise<void> {
    return this.#turns(() => this.#keep(digest, file, signal))
  }

  async #keep(digest: string, file: Readable, signal: AbortSignal): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    try {
      await pipeline(file, createWriteStream(this.#arriving, { mode: MODE, flush: true }), { signal })
      if ((await digestOf(this.#arriving, this.#key)) !== digest)
        throw new Error('another server gave another archive than it was asked for')
    } catch (error) {
      await rm(this.#arriving, { force: true })
      throw error
    }
    await this.#publish()
  }

  async #publish(): Promise<void> {
    await rename(this.#arriving, this.#kept)
    await flushPath(this.#folder)
  }

  /** Deletes the archive if it has this digest; without a digest any archive. */
  async drop(digest?: string): Promise<void> {
    if (digest !== undefined && (await digestOf(this.#kept, this.#key)) !== digest) return
    await rm(this.#kept, { force: true })
  }

  async clear(): Promise<void> {
    const coming = incomingLogFolder(this.#folder)
    for (const path of [this.#arriving, this.#kept, coming]) await rm(path, { recursive: true, force: true })
  }

  async #taskOf(file: string, pin?: string): Promise<VerificationTask> {
    const settings = this.live.current
    const { snapshot_bytes, snapshot_line_bytes } = settings.limits
    return {
      archive: {
        file,
        key: this.#key,
        limits: { snapshot_bytes, snapshot_line_bytes },
        keys: { vkey: await this.vkey(), pin }
      },
      folder: incomingLogFolder(settings.data_dir),
      encryptionKey: settings.encryption.key,
      settings: viewSettings(settings)
    }
  }

  /** Resolves with the digest. */
  async #store(bytes: Readable, signal: AbortSignal): Promise<string> {
    const sum = createHash('sha256')
    await mkdir(this.#folder, { recursive: true })
    const file = createWriteStream(this.#arriving, { mode: MODE, flush: true })
    await pipeline(encryptedStream(withChecksum(bytes, sum), this.#key), file, { signal })
    return sum.digest('hex')
  }
}
