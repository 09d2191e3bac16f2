// One writer per data folder, held by the operating system: it ends with the process, however that ends.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { open } from 'lmdb'
import { OWNER_ONLY } from './lmdb-files.js'
import { LogUnusable } from './log.js'

/**
 * The folders this process has open. LMDB must not open a folder twice in one process: closing the second handle would
 * silently drop the first one's file locks (as POSIX rules for `fcntl`).
 */
const openHere = new Set<string>()

/** Marks a folder as open in this process. Returns how to unmark it. @throws LogUnusable when it is open already */
export function claimInProcess(path: string): () => void {
  const real = realpathSync(path)
  if (openHere.has(real)) throw new LogUnusable(`the log in ${path} is already open in this process`)
  openHere.add(real)
  return () => void openHere.delete(real)
}

/**
 * Takes the writer's place in a data folder.
 *
 * The lock is an LMDB environment of its own, `<path>/writer`, with room for exactly one reader, and the writer is that
 * reader for as long as it runs. LMDB keeps the reader's place under a robust mutex and knows a dead reader by a file lock
 * (`fcntl`) that the kernel drops with the process. So a `kill -9` frees it at once, a stale file means nothing, a process id that
 * is used again cannot be mistaken for the old one, and containers that share the folder on one machine exclude each other too.
 *
 * @throws LogUnusable when another process holds it
 */
export function lockForWriting(path: string): () => Promise<void> {
  const env: RootDatabase = open({
    ...OWNER_ONLY,
    path: join(path, 'writer'),
    noSubdir: false,
    maxReaders: 1,
    maxDbs: 1,
    mapSize: 65_536,
    overlappingSync: false,
    encoding: 'binary'
  })
  try {
    const place = env.useReadTransaction()
    return async () => {
      place.done()
      await env.close()
    }
  } catch (error) {
    void env.close()
    if (!(error instanceof Error) || !error.message.includes('MDB_READERS_FULL')) throw error
    throw new LogUnusable(`another process writes the log in ${path}; only one may run on a data folder`, {
      cause: error
    })
  }
}
