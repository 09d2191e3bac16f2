// Programs and permissions that some tests need and a machine may lack.
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'

const run = promisify(execFile)

/** Environment variable: path of the file to which each skipped test adds its reason as a line. */
export const SKIPPED_FILE = 'TEST_SKIPPED_FILE'

/** Ends a test that the machine does not allow. It fails with `CI`, and otherwise passes with a message. */
export const skip = (t: ExecutionContext, reason: string): void => {
  if (process.env['CI'] !== undefined) {
    t.fail(reason)
    return
  }
  skipEverywhere(t, reason)
}

/** Like `skip`, but passes with `CI` too: for what no machine can be made to have. */
export const skipEverywhere = (t: ExecutionContext, reason: string): void => {
  const file = process.env[SKIPPED_FILE]
  if (file !== undefined) appendFileSync(file, `${reason}\n`)
  t.log(`skipped: ${reason}`)
  t.pass()
}

/** Returns true, and skips the test, if a program is missing. */
export const missing = async (t: ExecutionContext, program: string): Promise<boolean> => {
  const isThere = await run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false
  )
  if (isThere) return false
  skip(t, lacks(program))
  return true
}

/** Like `missing`, for a Debian package of Go. */
export const missingGoPackage = async (t: ExecutionContext, name: string): Promise<boolean> => {
  if (existsSync(`/usr/share/gocode/src/${name}`)) return false
  skip(t, lacks(name))
  return true
}

const lacks = (what: string): string =>
  `${what} is not installed: test/install-debian-packages.sh installs it`
