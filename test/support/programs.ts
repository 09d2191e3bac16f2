// Programs of Debian that some tests need, and that a machine may lack.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'

const run = promisify(execFile)

/**
 * Whether a program is not there; the test is over then. Where `CI` is set it has failed, and elsewhere passed with a word
 * about it.
 */
export const missing = async (t: ExecutionContext, program: string): Promise<boolean> => {
  const isThere = await run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false
  )
  if (isThere) return false
  lacks(t, program)
  return true
}

/** As `missing`, for a package of Go that Debian brings. */
export const missingGoPackage = async (t: ExecutionContext, name: string): Promise<boolean> => {
  if (existsSync(`/usr/share/gocode/src/${name}`)) return false
  lacks(t, name)
  return true
}

/** Fails the test where all must be there, and else says a word. */
const lacks = (t: ExecutionContext, what: string): void => {
  const text = `${what} is not installed: test/install-debian-packages.sh installs it`
  if (process.env['CI'] === undefined) {
    t.log(text)
    t.pass()
  } else t.fail(text)
}
