// A server, a folder of declarations, and commands on both.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'

export interface Declaring {
  readonly server: TestServer
  readonly folder: string
  readonly run: (...args: readonly string[]) => Promise<CommandExit>
  /** Writes a file of the folder. */
  readonly write: (name: string, content: string) => string
}

export const declaring = async (t: ExecutionContext, options: TestServerOptions = {}): Promise<Declaring> => {
  const server = await serverInProcess(t, options)
  const folder = temporaryFolder(t)
  return {
    server,
    folder,
    run: (...args) => annals(args, { ANNALS_HTTP_ADDR: server.base, ANNALS_HTTP_TOKEN: ROOT }),
    write: (name, content) => {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    }
  }
}

/** The files of a folder, with their contents. */
export const contents = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .toSorted()
      .map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')])
  )
