// Debian programs that some tests need and a machine may lack.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'

const run = promisify(execFile)

/** Returns true, and ends the test, if a program is missing. The test fails with `CI`, and otherwise passes with a message. */
export const missing = async (t: ExecutionContext, program: string): Promise<boolean> => {
  const isThere = await run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false
  )
  if (isThere) return false
  lacks(t, program)
  return true
}

/** Like `missing`, for a Debian package of Go. */
export const missingGoPackage = async (t: ExecutionContext, name: string): Promise<boolean> => {
  if (existsSync(`/usr/share/gocode/src/${name}`)) return false
  lacks(t, name)
  return true
}

/** Fails the test with `CI`, and otherwise logs a message. */
const lacks = (t: ExecutionContext, what: string): void => {
  const text = `${what} is not installed: test/install-debian-packages.sh installs it`
  if (process.env['CI'] === undefined) {
    t.log(text)
    t.pass()
  } else t.fail(text)
}
