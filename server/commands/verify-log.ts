import { originOf } from '../../events/log/evidence/signed-checkpoint.js'
import { RecomputedTree } from '../../events/log/evidence/recomputed-tree.js'
import { LogUnusable } from '../../events/log/log.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { ErasedParts } from '../erased-parts.js'
import { isReplicaFolder } from '../replica/replica-folder.js'
import { verifyChain } from '../../events/log/verify.js'
import { type Retention, retentionEvents } from '../../events/retention.js'
import { baseSnapshotOf, checkBaseSnapshot } from '../../projections/restore-views.js'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { type Settings, logFolder } from '../settings/settings.js'
import type { Console } from '../../clients/cli/console.js'
import { type TrustedInputs, readTrustedInputs, type TrustedInputOptions } from './evidence/trusted-inputs.js'
import { trustedRootOf, verifyTrustedInputs } from './evidence/verify-trusted-inputs.js'
import { proveBundles } from './evidence/stored-bundles.js'
import { type StoredCheckpoint, type TreeFiles, withTreeFiles } from './evidence/tree-files.js'
import { withProgress } from '../../clients/cli/terminal.js'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keyOf, reportTo, withLog } from './open-log.js'

/** The start of an event about the log itself. */
const LOG_EVENT = `"Topic":"${retentionEvents.topic}"`

interface WalkedLog {
  readonly lines: readonly string[]
  /** Index of the newest commit that names a base snapshot. */
  readonly retained: number | undefined
}

/** Verifies each part of each commit, and the hash chain. */
const proveChain = async (
  log: SegmentEventLog,
  tree: RecomputedTree | undefined,
  { data_dir }: Settings,
  console: Console
): Promise<WalkedLog> => {
  let retained: number | undefined
  const isReplica = isReplicaFolder(data_dir)
  const erased = new ErasedParts(isReplica)
  const onRecord = (record: StoredRecord, hash: Buffer): void => {
    tree?.add(hash)
    erased.add(record)
    // Skips most records without parsing JSON.
    if (!record.bytes.includes(LOG_EVENT)) return
    for (const { Topic } of record.heads()) if (Topic === retentionEvents.topic) retained = record.index
  }
  const { firstIndex } = log
  const progress = { task: 'verifying', total: log.durableIndex, unit: 'commits' }
  const { headIndex, headHash, broken } = await withProgress(console, progress, advance =>
    verifyChain(log, {
      onRecord,
      onPage: index => {
        advance(index)
        return tree?.compareFiles()
      }
    })
  )
  if (broken !== undefined) {
    const before =
      headIndex < firstIndex
        ? 'no commit before it'
        : `commits ${firstIndex} to ${headIndex} hold, to hash ${headHash}`
    throw new LogUnusable(
      `the log in ${data_dir} is broken at commit ${broken.index}: ${broken.reason} (${before})`
    )
  }
  await erased.prove(log)
  const lines = [
    `head index ${headIndex}`,
    `head hash ${headHash}`,
    `the records hold: every part of commits ${firstIndex} to ${headIndex} has the digest in its commit`,
    'the chain holds: every commit names the hash of the one before it'
  ]
  if (erased.count > 0)
    lines.push(
      `${erased.count} parts are erased, each by a later commit: their hashes hold, and their contents cannot be verified`
    )
  if (isReplica) lines.push('the log is that of a replica, which never has secrets and stored responses')
  if (!log.opensSecrets) lines.push('secrets not opened: the log is encrypted, and no key is configured')
  return { lines, retained }
}

/** Verifies the base snapshot, if the first commits were removed. @throws LogUnusable if it is not that of the commit which names it */
const proveBase = async (
  log: SegmentEventLog,
  retention: Retention | undefined
): Promise<readonly string[]> => {
  const { bases } = snapshotStoresIn(log)
  if (await bases.isReceived()) {
    const index = await baseSnapshotOf(log, bases)
    await bases.check(index, { repair: false })
    return [
      `the base snapshot is intact: it stands for commits 1 to ${index}, came from the source of this replica, and no commit proves what it holds`
    ]
  }
  if (!retention && log.firstIndex > 1)
    throw new LogUnusable(`the log begins with commit ${log.firstIndex}, and no commit tells of a base`)
  if (!retention) return []
  const { Index, Base } = retention
  let repaired: readonly string[]
  try {
    repaired = await checkBaseSnapshot({ Index, Base }, bases)
  } catch (error) {
    if (log.firstIndex > 1 || !(error instanceof LogUnusable)) throw error
    return [
      `${bases.pathOf(Index)} is damaged or missing: no commits were pruned, and the next start creates the base again`
    ]
  }
  return [
    `the base snapshot holds: it covers commits 1 to ${Index}, and the log begins with commit ${log.firstIndex}`,
    ...repaired.map(
      file => `${file} is damaged or missing: the next start makes it again from the other copy`
    )
  ]
}

const retentionIn = async (log: SegmentEventLog, index: number): Promise<Retention | undefined> => {
  for await (const { Events } of log.read(index))
    return Events.findLast(retentionEvents.is)?.Payload.Retention
  return undefined
}

/** Verifies the tree files and checkpoints against the records. */
const proveTree = async (
  tree: RecomputedTree | undefined,
  checkpoints: readonly StoredCheckpoint[]
): Promise<readonly string[]> => {
  if (!tree) return ['no tree: commits were pruned before the hashes of all of them were stored']
  for (const checkpoint of checkpoints) await tree.check(trustedRootOf(checkpoint))
  const root = `root ${(await tree.root()).toString('base64')} over ${tree.size} commits`
  const newest = checkpoints.at(-1)
  if (!newest) return [root, 'no checkpoint is beside the log to compare the tree with']
  return [
    root,
    `the tree holds: its stored hashes and ${checkpoints.length} checkpoints match commits 1 to ${newest.head.size}`
  ]
}

interface VerifyLogOptions {
  readonly settings: Settings
  readonly console: Console
  /** Read before the log was opened. */
  readonly beside: TreeFiles
  readonly outside: TrustedInputs
}

/**
 * Verifies records, chain, tree and base snapshot in one pass, and compares the log with trusted inputs.
 * @returns lines to print
 * @throws LogUnusable Unproved MalformedNote naming the failed proof
 */
export const verifyLog = async (
  log: SegmentEventLog,
  { settings, console, beside, outside }: VerifyLogOptions
): Promise<readonly string[]> => {
  const { firstIndex, identity } = log
  const own = beside.checkpoints.filter(({ head }) => head.origin === originOf(identity))
  const size = own.at(-1)?.head.size ?? 0
  // A log that was compacted before trees existed has none.
  const hasHashes = firstIndex === 1 || beside.checkpoints.length > 0
  const tree = hasHashes
    ? await RecomputedTree.begin(firstIndex - 1, { files: beside.files, size })
    : undefined
  const { lines, retained } = await proveChain(log, tree, settings, console)
  const retention = retained === undefined ? undefined : await retentionIn(log, retained)
  return [
    ...lines,
    ...(await proveTree(tree, own)),
    ...(tree ? await proveBundles({ bundles: beside.bundles, files: beside.files, firstIndex }) : []),
    ...(await proveBase(log, retention)),
    ...(await verifyTrustedInputs({ identity, tree, beside: beside.checkpoints }, outside))
  ]
}

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
