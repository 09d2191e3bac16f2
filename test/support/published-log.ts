// A server whose log is published, and what ends or damages a publication.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { isMissingFile, recover } from '../../events/errors.js'
import { parseVkey, type NoteKey } from '../../events/log/evidence/note-keys.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import { PublishedFolder, type PublicationTarget } from '../../server/publication/published-folder.js'
import { annals, type CommandExit } from './command-line.js'
import { freePort, temporaryFolder } from './process.js'
import { ROOT, serverInProcess, type TestServer } from './server.js'

export interface Published {
  readonly server: TestServer
  readonly vkey: string
  readonly key: NoteKey
  readonly folder: string
  /** Writes keys until the log has so many commits, which a checkpoint covers. */
  readonly growTo: (size: number) => Promise<void>
  readonly publish: (folder: string, ...more: readonly string[]) => Promise<CommandExit>
}

/** Writes at a time. */
const MOST_WRITES = 32

/** Starts a server with some commits, on a port that no other test gets after it was closed. */
export const publishing = async (t: ExecutionContext): Promise<Published> => {
  const folder = temporaryFolder(t)
  const server = await serverInProcess(t, {
    dataDir: join(folder, 'data'),
    config: { ports: { http: await freePort(), dns: -1 } }
  })
  const evidence = server.scope.resolve(LogEvidence).required
  const growTo = async (size: number): Promise<void> => {
    while (server.app.log.durableIndex < size) {
      const { durableIndex } = server.app.log
      const writes = Array.from({ length: Math.min(size - durableIndex, MOST_WRITES) }, (_, at) =>
        server.send('PUT', `/v1/kv/key/${at}`, { body: `${durableIndex}` })
      )
      await Promise.all(writes)
    }
    await evidence.checkpoints.covering(size)
  }
  await growTo(5)
  const { vkey } = evidence
  return {
    server,
    vkey,
    key: parseVkey(vkey),
    folder,
    growTo,
    publish: (target, ...more) =>
      annals(['log', 'publish', target, '-http-addr', server.base, '-token', ROOT, ...more])
  }
}

/** The files of a folder by path, in Base64. */
export const contentOf = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const paths = await new PublishedFolder(folder).list('.')
  return Object.fromEntries(
    paths.toSorted().map(path => [path, readFileSync(join(folder, path)).toString('base64')])
  )
}

/** The bytes of all files in a folder, without those that are replaced meanwhile. */
export const bytesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) =>
      recover(
        () => readFileSync(join(parentPath, name)).toString('latin1'),
        Error,
        error => {
          if (!isMissingFile(error)) throw error
          return ''
        }
      )
    )
    .join('')

/** The process is killed. */
export class Killed extends Error {}

/** Ends before or after the call with this number. */
export const killedAt = (folder: PublishedFolder, kill: number): PublicationTarget => {
  let calls = 0
  const counted = async <T>(run: () => Promise<T>): Promise<T> => {
    if (calls++ === kill) throw new Killed()
    const result = await run()
    if (calls++ === kill) throw new Killed()
    return result
  }
  return {
    place: folder.place,
    read: (path, most) => folder.read(path, most),
    list: path => folder.list(path),
    put: (path, bytes) => counted(() => folder.put(path, bytes)),
    replace: (path, bytes) => counted(() => folder.replace(path, bytes)),
    remove: path => counted(() => folder.remove(path))
  }
}

/** Changes a bit of a file. */
export const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
