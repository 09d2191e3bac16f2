// A clock of one server's own that tests set, by libfaketime of Debian.
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../../support/process.js'

interface FalseClock {
  /** With what environment to start the server that has it. */
  readonly env: Readonly<Record<string, string>>
  /** Lets it differ by so many seconds from the machine's from now on. */
  differBy(seconds: number): void
}

/**
 * A clock; undefined where libfaketime is not installed, and then the test is over.
 * @param monotonic whether also the clock differs that can never be set
 */
export const falseClock = (t: ExecutionContext, monotonic: boolean): FalseClock | undefined => {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (library === undefined) {
    t.log('libfaketime is not installed: test/install-debian-packages.sh installs it')
    t.pass()
    return undefined
  }
  const file = join(temporaryFolder(t), 'time')
  const differBy = (seconds: number): void =>
    writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s\n`)
  differBy(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      ...(monotonic ? {} : { FAKETIME_DONT_FAKE_MONOTONIC: '1' })
    },
    differBy
  }
}
