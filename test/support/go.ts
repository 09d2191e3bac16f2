// Programs of the tests that use the library of Go's checksum database, as Debian packages it.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { projectRoot, temporaryFolder } from './process.js'
import { missing, missingGoPackage } from './programs.js'

const run = promisify(execFile)

/** Returns true, and skips the test, without Go or the library. */
export const missingSumdb = async (t: ExecutionContext): Promise<boolean> =>
  (await missing(t, 'go')) || (await missingGoPackage(t, 'golang.org/x/mod/sumdb/note'))

/** Builds a program of a folder of `test/support`. @returns its path */
export const buildChecker = async (t: ExecutionContext, folder: string): Promise<string> => {
  const checker = join(temporaryFolder(t), folder)
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' }
  await run('go', ['build', '-o', checker, '.'], { cwd: join(projectRoot, 'test/support', folder), env })
  return checker
}
