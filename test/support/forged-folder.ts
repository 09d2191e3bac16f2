// A forged log folder: other commits under the same name, with valid hashes and checksums.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { replaceFile } from '../../events/log/disk-port.js'
import { GROUP_HEADER_RESERVE } from '../../events/log/record-format.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import type { StoredRecord } from '../../events/log/record.js'
import { NO_HASH } from '../../events/codec.js'
import {
  encodeSegmentHeader,
  LOG_FORMAT,
  GROUPS_AT,
  roundUp,
  segmentName,
  writeGroupHeader
} from '../../events/log/segments/format.js'
import { writeHead } from '../../events/log/segments/checked-files.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { draftsOf, recordsOf, type Draft } from './forged-log.js'

const SECTOR = 512
/** Files that are named after the first commit, and the file with the end of the log. */
const REPLACED = /\.(seg|idx)$|^(durable|next-\d+|reserve)$/

/** Returns the commits of a folder, to be changed. */
export async function draftsIn(path: string): Promise<readonly Draft[]> {
  const log = await SegmentEventLog.open({ path, readOnly: true })
  try {
    const records: StoredRecord[] = []
    for await (const page of log.records(1)) records.push(...page)
    return draftsOf(records)
  } finally {
    await log.close()
  }
}

/** Replaces the commits of a log. All other files stay. */
export async function forge(path: string, drafts: readonly Draft[]): Promise<void> {
  const log = await SegmentEventLog.open({ path, readOnly: true })
  const { identity } = log
  await log.close()
  for (const name of readdirSync(path)) if (REPLACED.test(name)) rmSync(join(path, name))
  const records = recordsOf(drafts)
  const header = {
    ...identity,
    format: LOG_FORMAT,
    generation: 1,
    first: 1,
    before: Buffer.from(NO_HASH),
    sectorBytes: SECTOR
  }
  const group = Buffer.concat([Buffer.alloc(GROUP_HEADER_RESERVE), ...records.map(({ bytes }) => bytes)])
  const bytes = Buffer.alloc(roundUp(group.length, SECTOR))
  group.copy(bytes)
  const place = {
    first: 1,
    count: records.length,
    length: group.length,
    acknowledged: 0,
    contents: crc32(group.subarray(GROUP_HEADER_RESERVE))
  }
  writeGroupHeader(bytes, place, header)
  const file = Buffer.alloc(GROUPS_AT + bytes.length)
  encodeSegmentHeader(header).copy(file)
  bytes.copy(file, GROUPS_AT)
  const disk = new NodeDisk(path)
  await replaceFile(disk, segmentName(header), file)
  const newest = records.at(-1)
  if (newest) await writeHead(disk, { index: newest.index, hash: newest.hash }, identity.id, true)
}
