// `annals log verify`: what is proved about a log, one proof after another.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SegmentEventLog } from '../../events/log/segments/log.js'
import { LogUnusable, type EventLog } from '../../events/log/log.js'
import { verifyChain } from '../../events/log/verify.js'
import { isLogRetained, LOG_KEY, LOG_TOPIC, type Retention } from '../../events/retention.js'
import type { Settings } from '../settings/settings.js'
import type { Console } from './console.js'
import { keyOf, logFolder, reportTo, withLog } from './open-log.js'
import { withProgress } from './progress.js'

/**
 * Proves something about an open log.
 * @returns the lines to print
 * @throws LogUnusable naming the commit and the reason when it does not hold
 */
export type Proof = (log: SegmentEventLog, settings: Settings, console: Console) => Promise<readonly string[]>

/** Every commit holds the hash of the one before it, and every part of it is what was written. */
const proveChain: Proof = async (log, { data_dir }, console) => {
  const progress = { task: 'verifying', total: log.durableIndex, unit: 'commits' }
  const { headIndex, headHash, broken } = await withProgress(console, progress, advance =>
    verifyChain(log, advance)
  )
  if (broken !== undefined) {
    const before =
      headIndex === 0 ? 'no commit before it' : `commits 1 to ${headIndex} hold, to hash ${headHash}`
    throw new LogUnusable(
      `the log in ${data_dir} is broken at commit ${broken.index}: ${broken.reason} (${before})`
    )
  }
  return [
    `head index ${headIndex}`,
    `head hash ${headHash}`,
    'the chain holds: no commit was changed or cut out',
    ...(log.opensSecrets ? [] : ['secrets not opened: the log is encrypted, and no key is configured'])
  ]
}

/** The base of a log that has let commits go is the one that its newest commit about it tells of. */
const proveBase: Proof = async log => {
  const retention = await retentionOf(log)
  if (!retention && log.firstIndex === 1) return []
  if (!retention)
    throw new LogUnusable(`the log begins with commit ${log.firstIndex}, and no commit tells of a base`)
  const { besideLog } = await import('../compose.js')
  const { bases } = besideLog(log)
  const { digest, repaired } = await bases.check(retention.Index, { repair: false })
  if (digest !== retention.Base)
    throw new LogUnusable(`${bases.pathOf(retention.Index)} is not the base that the log tells of`)
  return [
    `the base holds: it stands for commits 1 to ${retention.Index}, and the log begins with commit ${log.firstIndex}`,
    ...repaired.map(
      file => `${file} is damaged or missing: the next start makes it again from the other copy`
    )
  ]
}

const retentionOf = async (log: EventLog): Promise<Retention | undefined> => {
  let newest: Retention | undefined
  for await (const { Events } of log.history(LOG_TOPIC, 'default', '', LOG_KEY))
    for (const event of Events) if (isLogRetained(event)) newest = event.Payload.Retention
  return newest
}

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
    for (const prove of withReplay ? [proveChain, proveBase, proveState] : [proveChain, proveBase]) {
      for (const line of await prove(log, settings, console)) console.out.write(`${line}\n`)
    }
  })
}
