// Damages single files of a log, and checks how it is opened and read.
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Disk } from '../../events/log/disk-port.js'
import { LogUnusable } from '../../events/log/log.js'
import { readDurableIndex } from '../../events/log/durable-index.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { commitOf } from '../events/commits.js'
import type { Random } from './random.js'
import { SimulatedDisk } from './simulated-disk.js'
import { until } from './wait.js'

const SEGMENT = 1024 * 1024
const SECTOR = 512
/** Acknowledged commits of each folder. */
export const COMMITS = 60

/** How the server of the folder ended. */
export type DamageResult = 'clean' | 'killed'

const commit = (index: number) =>
  commitOf(index, {
    key: `key-${index % 7}`,
    size: index % 3 === 0 ? 60_000 : 300,
    secrets: { SecretID: `secret-${index}` }
  })

/** Creates a folder of several segments with acknowledged commits, whose sealed segments may be packed. */
export async function writtenFolder(end: DamageResult, compress: boolean): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const log = await open(disk, [], compress)
  for (let index = 1; index <= COMMITS; index++) {
    // Published some time after the flush, the durable index proves all commits but the last one.
    if (index === COMMITS) await until('the durable index is published', () => isPublished(disk, index - 1))
    await log.append([commit(index)])
  }
  if (compress) await untilPacked(disk)
  const killed = disk.killed()
  await log.close()
  return end === 'clean' ? disk : killed
}

const isPublished = async (disk: Disk, index: number): Promise<boolean> =>
  (await readDurableIndex(disk))?.durable === index

/** Resolves when all segments except the active one are packed. */
export async function untilPacked(disk: Pick<Disk, 'list'>): Promise<void> {
  while ((await disk.list()).filter(name => name.endsWith('.seg')).length > 1) await setImmediate()
}

interface Damage {
  readonly what: string
  /** The changed file; undefined if deleted. */
  readonly content: Buffer | undefined
}

/** Returns the length up to the last nonzero byte. */
export const usedBytes = (content: Buffer): number => content.findLastIndex(byte => byte !== 0) + 1

/** Damages a file: flipped, zeroed, overwritten, cut or deleted. @param used its `usedBytes` */
export function damaged(content: Buffer, used: number, random: Random): Damage {
  // Prefers used bytes.
  const end = random.below(4) === 0 ? content.length : used
  const at = random.below(Math.max(1, end))
  const sector = at - (at % SECTOR)
  const changed = Buffer.from(content)
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
      return { what: `a bit of byte ${at} flipped`, content: changed }
    case 3:
      changed.subarray(sector, sector + SECTOR).fill(0)
      return { what: `the sector at byte ${sector} zeroed`, content: changed }
    case 4:
      changed.subarray(at, at + 1 + random.below(64)).fill(0)
      return { what: `some bytes from ${at} on zeroed`, content: changed }
    case 5:
      for (let i = sector; i < Math.min(sector + SECTOR, changed.length); i++) changed[i] = random.below(256)
      return { what: `the sector at byte ${sector} written over`, content: changed }
    case 6:
      return { what: `cut at byte ${at}`, content: changed.subarray(0, at) }
    default:
      return { what: 'removed', content: undefined }
  }
}

/** The outcome for a damaged log: refused with a text that names the place, complete, or without its end. */
type DamageOutcome =
  | { readonly kind: 'named'; readonly text: string }
  | { readonly kind: 'harmless' }
  | { readonly kind: 'shorter'; readonly head: number; readonly reports: readonly string[] }

/** @throws Error when unwritten data is returned, or another error than the log's own occurs */
export async function openDamagedFolder(disk: SimulatedDisk): Promise<DamageOutcome> {
  const reports: string[] = []
  let log: SegmentEventLog | undefined
  try {
    log = await open(disk, reports)
    let head = 0
    for await (const found of log.read(1)) {
      if (!isDeepStrictEqual(found, commit(found.Index)))
        throw new Error(`commit ${found.Index} was served changed`)
      head = found.Index
    }
    if (head < COMMITS) return { kind: 'shorter', head, reports }
    for (let key = 0; key < 7; key++) {
      const indexes: number[] = []
      for await (const { Index } of log.history({
        topic: 'ACLToken',
        partition: 'default',
        namespace: '',
        key: `key-${key}`
      }))
        indexes.push(Index)
      const expected = Array.from({ length: COMMITS }, (_, i) => i + 1).filter(index => index % 7 === key)
      if (!isDeepStrictEqual(indexes, expected))
        throw new Error(`the history of key-${key} is ${indexes.join(', ')}`)
    }
    return { kind: 'harmless' }
  } catch (error) {
    if (!(error instanceof LogUnusable)) throw error
    return { kind: 'named', text: error.message }
  } finally {
    await log?.close()
  }
}

const open = (disk: SimulatedDisk, reports: string[], compress = false): Promise<SegmentEventLog> =>
  SegmentEventLog.open({
    path: disk.path,
    disk,
    segmentBytes: SEGMENT,
    compress,
    report: ({ text }) => reports.push(text)
  })
