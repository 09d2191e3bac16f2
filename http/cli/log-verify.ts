// `annals log verify`: what is proved about a log, one proof after another.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logFolder, type Settings } from '../settings/settings.js'
import type { Console } from './console.js'
import { keyOf, reportTo, withLog } from './open-log.js'
import { proveLog, type Proof } from './proofs.js'

/** Loaded when it is asked for: it takes the whole server, and the memory that it needs. */
const proveState: Proof = async (log, settings) => {
  const { proveReplay } = await import('./prove-replay.js')
  return proveReplay(log, settings)
}

/**
 * Runs the proofs and prints what each found. Secrets are opened unless the key that would be needed is not configured.
 * @param withReplay also proves that the log makes the state, which takes the secrets
 * @throws LogUnusable at the first that does not hold
 */
export const logVerify = (settings: Settings, console: Console, withReplay: boolean): Promise<void> => {
  const isLocked = keyOf(settings) === undefined && existsSync(join(logFolder(settings.data_dir), 'keys'))
  const reading = { withSecrets: withReplay || !isLocked, report: reportTo(console) }
  return withLog(settings, reading, async log => {
    for (const prove of withReplay ? [proveLog, proveState] : [proveLog])
      for (const line of await prove(log, settings, console)) console.out.write(`${line}\n`)
  })
}
