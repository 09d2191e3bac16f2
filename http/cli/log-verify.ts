// `annals log verify`: runs proofs about a log, one after another.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logFolder, type Settings } from '../settings/settings.js'
import type { Console } from './console.js'
import { keyOf, reportTo, withLog } from './open-log.js'
import { proveLog, type Proof } from './proofs.js'

/** Loaded only when needed, because it imports the whole server. */
const proveState: Proof = async (log, settings) => {
  const { proveReplay } = await import('./prove-replay.js')
  return proveReplay(log, settings)
}

/**
 * Runs the proofs and prints the result of each. Secrets are decrypted if the key is configured.
 * @param withReplay also replays the log and compares the state, which needs the secrets
 * @throws LogUnusable at the first proof that fails
 */
export const logVerify = (settings: Settings, console: Console, withReplay: boolean): Promise<void> => {
  const isLocked = keyOf(settings) === undefined && existsSync(join(logFolder(settings.data_dir), 'keys'))
  const reading = { withSecrets: withReplay || !isLocked, report: reportTo(console) }
  return withLog(settings, reading, async log => {
    for (const prove of withReplay ? [proveLog, proveState] : [proveLog])
      for (const line of await prove(log, settings, console)) console.out.write(`${line}\n`)
  })
}
