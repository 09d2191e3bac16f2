import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LogUnusable } from '../../events/log/log.js'
import { logFolder, type Settings } from '../settings/settings.js'
import type { Console } from '../../clients/cli/console.js'
import { readTrustedInputs, type TrustedInputOptions } from './evidence/trusted-inputs.js'
import { withTreeFiles } from './evidence/tree-files.js'
import { keyOf, reportTo, withLog } from './open-log.js'
import { verifyLog } from './verify-log.js'

interface VerifyRequest {
  /** Replays the log and compares the state, which needs the secrets. */
  readonly withReplay: boolean
  readonly outside: TrustedInputOptions
}

/** @throws LogUnusable Unproved MalformedNote at the first failed proof; damage to the small files of the log comes last */
export async function logVerify(
  settings: Settings,
  console: Console,
  { withReplay, outside }: VerifyRequest
): Promise<void> {
  const known = await readTrustedInputs(outside)
  const folder = logFolder(settings.data_dir)
  const isLocked = keyOf(settings) === undefined && existsSync(join(folder, 'keys'))
  const reading = { withSecrets: withReplay || !isLocked, report: reportTo(console) }
  const print = (lines: readonly string[]): void => {
    for (const line of lines) console.out.write(`${line}\n`)
  }
  await withTreeFiles(folder, beside =>
    withLog(settings, reading, async log => {
      print(await verifyLog(log, { settings, console, beside, outside: known }))
      if (withReplay) {
        // Imports the whole server, so it is loaded only when needed.
        const { verifyReplay } = await import('./verify-replay.js')
        print(await verifyReplay(log, settings))
      }
      const faults = await log.fileFaults()
      if (faults.length > 0) throw new LogUnusable(faults.join('; '))
    })
  )
}
