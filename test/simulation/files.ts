// Files beside the log: the simulated machines have none, except the folder of the log.
import type { Machines } from './disk.js'
import { replaceIn } from './globals.js'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What all paths of simulated machines begin with. */
export const MACHINES_PATH = '/simulated/'

const missing = (path: unknown): Error =>
  Object.assign(new Error(`ENOENT: no such file or directory, '${String(path)}'`), { code: 'ENOENT' })

const isSimulated = (path: unknown): boolean => typeof path === 'string' && path.startsWith(MACHINES_PATH)

/** Free space of all disks, as `statfs` returns it. */
const SPACE = { bavail: 2 ** 20, bsize: 4096 }

const NAMES = [
  'access',
  'appendFile',
  'mkdir',
  'mkdtemp',
  'open',
  'readdir',
  'readFile',
  'rename',
  'stat',
  'writeFile'
]

/** Replaces the functions of `node:fs` that a server calls for its data folder. */
export const replaceFiles = (machines: Machines): void => {
  const promises = require('node:fs/promises')
  const replaced = NAMES.map(name => {
    const own = promises[name]
    const call = (path: unknown, ...more: unknown[]) =>
      isSimulated(path) ? Promise.reject(missing(path)) : own(path, ...more)
    return [name, call]
  })
  const { rm, statfs } = promises
  const remove = async (path: string, options: object): Promise<void> => {
    if (isSimulated(path)) machines.remove(path)
    else await rm(path, options)
  }
  const space = (path: string) => (isSimulated(path) ? Promise.resolve(SPACE) : statfs(path))
  replaceIn('node:fs/promises', { ...Object.fromEntries(replaced), rm: remove, statfs: space })
}
