// The folder that a log is published in. Each file appears whole, and never changes, except for those that `replace` writes.
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isMissingFile, messageOf, orUndefined } from '../../events/errors.js'
import { flushPath } from '../../events/files.js'
import { LogUnusable } from '../../events/log/log.js'
import { createFolders } from '../../events/log/node-disk.js'
import { folderFiles, type PublicFiles } from './public-files.js'

const TEMPORARY = '.publishing'
/** A web server reads it. */
const FOLDER_MODE = 0o777

export interface PublicationTarget extends PublicFiles {
  /** Adds a file; an existing one must have the same bytes. Durable after `flush`. @throws LogUnusable naming a file with other bytes, or one that cannot be written */
  put(path: string, bytes: Uint8Array): Promise<void>
  /** Replaces a file atomically, after all earlier files are durable; durable when it resolves. @throws as `put` */
  replace(path: string, bytes: Uint8Array): Promise<void>
  /** Removes a file or a folder; no error if there is none. */
  remove(path: string): Promise<void>
  /** Returns the paths of the files in a folder and its subfolders. */
  list(path: string): Promise<readonly string[]>
}

export class PublishedFolder implements PublicationTarget {
  readonly place: string
  readonly #files: PublicFiles
  /** Folders with names that are not durable yet. */
  readonly #changed = new Set<string>()

  constructor(folder: string) {
    this.place = folder
    this.#files = folderFiles(folder)
  }

  read(path: string, maxBytes: number): Promise<Buffer | undefined> {
    return this.#files.read(path, maxBytes)
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    const existing = await this.read(path, bytes.length)
    if (!existing) return this.#write(path, bytes)
    if (!existing.equals(bytes))
      throw new LogUnusable(
        `${join(this.place, path)} has other bytes than the log: published files never change; remove it if it is damaged`
      )
    // An earlier run may have ended before the name was durable.
    this.#noteFolders(path)
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    await this.#flush()
    await this.#write(path, bytes)
    await this.#flush()
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.place, path), { recursive: true, force: true })
  }

  async list(path: string): Promise<readonly string[]> {
    const entries =
      (await orUndefined(
        readdir(join(this.place, path), { recursive: true, withFileTypes: true }),
        isMissingFile
      )) ?? []
    return entries
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => relative(this.place, join(parentPath, name)).split(sep).join('/'))
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const [target, temporary] = [join(this.place, path), join(this.place, TEMPORARY)]
    try {
      await createFolders(dirname(target), FOLDER_MODE)
      await writeFile(temporary, bytes, { flush: true })
      await rename(temporary, target)
    } catch (error) {
      throw new LogUnusable(`${target} cannot be written: ${messageOf(error)}`, { cause: error })
    }
    this.#noteFolders(path)
  }

  #noteFolders(path: string): void {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      this.#changed.add(folder)
      if (folder === '.') return
    }
  }

  async #flush(): Promise<void> {
    for (const folder of this.#changed) await flushPath(join(this.place, folder))
    this.#changed.clear()
  }
}
