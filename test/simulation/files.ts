// Files beside the log, on the disks of the simulated machines: the functions of `node:fs` that a server calls for its data folder.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { callbackify } from 'node:util'
import {
  namesIn,
  readBytes,
  withFile,
  writeAll,
  writeFile,
  type Disk,
  type DiskFile
} from '../../events/log/disk-port.js'
import type { Machines } from './disk.js'
import { replaceIn } from './globals.js'

const require = createRequire(import.meta.url)

/** What all paths of simulated machines begin with. */
export const MACHINES_PATH = '/simulated/'

/** Free space of all disks, as `statfs` returns it. */
const SPACE = { bavail: 2 ** 20, bsize: 4096 }

const isSimulated = (path: unknown): path is string =>
  typeof path === 'string' && path.startsWith(MACHINES_PATH)

/** Path of a machine's data folder, and the names below it. */
const partsOf = (path: string): readonly [root: string, names: readonly string[]] => {
  const [machine = '', ...names] = path.slice(MACHINES_PATH.length).split('/')
  return [join(MACHINES_PATH, machine), names]
}

/** Whether it is the folder of the log or in it: only its own port changes it. */
const isOfLog = (path: string): boolean => partsOf(path)[1][0] === 'log'

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: '${path}'`), { code, path, syscall: 'open' })

/** Calls of a file, with errors as those of `node:fs`. */
const withPath = async <T>(path: string, call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path, syscall: 'simulated' }) : error
  }
}

type Options = Readonly<Record<string, unknown>> | string | undefined

const optionOf = (options: Options, name: string): unknown =>
  typeof options === 'object' ? options[name] : undefined

/** What `node:fs/promises` has for paths on the machines' disks. */
class Files {
  constructor(private readonly machines: Machines) {}

  /** @throws Error with the code ENOENT for the log's folder */
  #place(path: string): readonly [folder: Disk, name: string] {
    if (isOfLog(path)) throw failure('ENOENT', path)
    const [root, names] = partsOf(path)
    let folder: Disk = this.machines.disk(root)
    for (const name of names.slice(0, -1)) folder = folder.folder(name)
    return [folder, names.at(-1) ?? '']
  }

  #folder(path: string): Disk {
    const [folder, name] = this.#place(path)
    return name === '' ? folder : folder.folder(name)
  }

  async #isFile(path: string): Promise<boolean> {
    const [folder, name] = this.#place(path)
    return withFile(folder, name, async () => true).catch(() => false)
  }

  /** Folders are there as soon as they are asked for. */
  async mkdir(path: string): Promise<void> {
    this.#place(path)
  }

  async readdir(path: string): Promise<readonly string[]> {
    return namesIn(this.#folder(path))
  }

  readFile(path: string, options?: Options): Promise<Buffer | string> {
    return withPath(path, async () => {
      const bytes = await withFile(...this.#place(path), async file => readBytes(file, await file.size()))
      return options === 'utf8' || optionOf(options, 'encoding') === 'utf8' ? bytes.toString() : bytes
    })
  }

  writeFile(path: string, data: string | Uint8Array): Promise<void> {
    return withPath(path, () => writeFile(...this.#place(path), file => writeAll(file, Buffer.from(data), 0)))
  }

  appendFile(path: string, data: string | Uint8Array): Promise<void> {
    const append = async (file: DiskFile) => writeAll(file, Buffer.from(data), await file.size())
    return withPath(path, () => withFile(...this.#place(path), append, 'write'))
  }

  rename(from: string, to: string): Promise<void> {
    const [folder, name] = this.#place(from)
    return withPath(from, () => folder.rename(name, this.#place(to)[1]))
  }

  async stat(path: string): Promise<{ readonly size: number }> {
    return withPath(path, () => withFile(...this.#place(path), async file => ({ size: await file.size() })))
  }

  async rm(path: string): Promise<void> {
    if (isOfLog(path)) return this.machines.remove(path)
    const [folder, name] = this.#place(path)
    if (await this.#isFile(path)) await withPath(path, () => folder.unlink(name))
    else for (const each of await this.readdir(path)) await this.rm(join(path, each))
  }

  /** Opens a file that is there, or a folder to make its names durable. */
  async open(path: string, flags = 'r'): Promise<object> {
    const folder = this.#folder(path)
    if (flags === 'r' && !(await this.#isFile(path)) && (await namesIn(folder)).length > 0)
      return { sync: () => withPath(path, () => folder.flushNames()), close: async () => {} }
    const file = await withPath(path, () => {
      const [parent, name] = this.#place(path)
      return parent.open(name, flags === 'r' ? 'read' : 'write')
    })
    return {
      writeFile: (data: string) => withPath(path, () => writeAll(file, Buffer.from(data), 0)),
      sync: () => withPath(path, () => file.flush()),
      close: () => file.close(),
      readLines: async function* () {
        yield* (await readBytes(file, await file.size())).toString().split('\n').filter(Boolean)
      }
    }
  }

  createReadStream(path: string): Readable {
    const read = async function* (files: Files): AsyncGenerator<Buffer> {
      const bytes = await files.readFile(path)
      if (bytes.length > 0) yield Buffer.from(bytes)
    }
    return Readable.from(read(this), { objectMode: false })
  }

  createWriteStream(path: string): Writable {
    const pieces: Buffer[] = []
    return new Writable({
      write: (piece: Buffer, _, done) => {
        pieces.push(piece)
        done()
      },
      final: callbackify(() => this.writeFile(path, Buffer.concat(pieces)))
    })
  }
}

const PROMISES = [
  'appendFile',
  'mkdir',
  'open',
  'readdir',
  'readFile',
  'rename',
  'rm',
  'stat',
  'writeFile'
] as const
/** For which simulated files have no twin. */
const MISSING = ['access', 'mkdtemp', 'copyFile', 'chmod']

/** Replaces the functions of `node:fs` for the paths of simulated machines. */
export const replaceFiles = (machines: Machines): void => {
  const files = new Files(machines)
  const promises = require('node:fs/promises')
  const streams = require('node:fs')
  const either =
    (own: (...args: unknown[]) => unknown, twin: (path: string, ...args: never[]) => unknown) =>
    (path: unknown, ...args: never[]) =>
      isSimulated(path) ? twin(path, ...args) : own(path, ...args)
  const missing = (path: string): Promise<never> => Promise.reject(failure('ENOENT', path))
  replaceIn('node:fs/promises', {
    ...Object.fromEntries(PROMISES.map(name => [name, either(promises[name], files[name].bind(files))])),
    ...Object.fromEntries(MISSING.map(name => [name, either(promises[name], missing)])),
    statfs: either(promises.statfs, async () => SPACE)
  })
  replaceIn('node:fs', {
    createReadStream: either(streams.createReadStream, path => files.createReadStream(path)),
    createWriteStream: either(streams.createWriteStream, path => files.createWriteStream(path))
  })
}
