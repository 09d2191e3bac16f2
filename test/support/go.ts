// Programs of the tests that use Go libraries, as Debian packages them.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { projectRoot, temporaryFolder } from './process.js'
import { missing, missingGoPackage, skip, skipEverywhere } from './programs.js'

const run = promisify(execFile)

/** What `test/unpack-debian-unstable.sh` unpacks. */
export const UNSTABLE = '/usr/local/lib/annals-tests/unstable'

/** Returns true, and skips the test, without Go or the library of Go's checksum database. */
export const missingSumdb = async (t: ExecutionContext): Promise<boolean> =>
  (await missing(t, 'go')) || (await missingGoPackage(t, 'golang.org/x/mod/sumdb/note'))

/** Returns true, and skips the test, without the programs and sources of Debian's unstable suite. CI must at least have tried to get them. */
export const missingUnstable = (t: ExecutionContext): boolean => {
  if (existsSync(UNSTABLE)) return false
  const reason = `${UNSTABLE}.unavailable`
  if (existsSync(reason)) skipEverywhere(t, readFileSync(reason, 'utf8').trim())
  else skip(t, `${UNSTABLE} is absent: test/install-debian-packages.sh unpacks it`)
  return true
}

const SYSTEM = { go: 'go', env: { GOPATH: '/usr/share/gocode' } }
const UNPACKED = {
  go: `${UNSTABLE}/usr/lib/go/bin/go`,
  env: {
    GOROOT: `${UNSTABLE}/usr/lib/go`,
    GOPATH: `${UNSTABLE}/usr/share/gocode`,
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '0'
  }
}

/** Builds a program of a folder of `test/support`. @returns its path */
export const buildChecker = async (
  t: ExecutionContext,
  folder: string,
  { suite = 'system' }: { readonly suite?: 'system' | 'unstable' } = {}
): Promise<string> => {
  const checker = join(temporaryFolder(t), folder)
  const { go, env } = suite === 'system' ? SYSTEM : UNPACKED
  await run(go, ['build', '-o', checker, '.'], {
    cwd: join(projectRoot, 'test/support', folder),
    env: { ...process.env, GO111MODULE: 'off', ...env }
  })
  return checker
}
