import { join } from 'node:path'
import { readBytes, type Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import {
  bySequence,
  decodeSegmentHeader,
  GROUPS_AT,
  parseSegmentName,
  segmentName,
  type LogIdentity,
  type SegmentHeader,
  damageError
} from './format.js'
import { segmentsIn, withSegment } from './segment-files.js'

export interface Segment extends SegmentHeader {
  readonly name: string
  /** Index of the last of its commits that counts; below `first` when none does. Of the newest segment: Infinity. */
  last: number
}

export const haveSameNames = (some: readonly Segment[], others: readonly Segment[]): boolean =>
  some.map(({ name }) => name).join() === others.map(({ name }) => name).join()

async function readHeader(disk: Disk, name: string): Promise<Segment> {
  const named = parseSegmentName(name)
  if (!named) throw new LogUnusable(`${join(disk.path, name)} is not named as the files of a log are`)
  const header = await withSegment(disk, name, async file =>
    decodeSegmentHeader(await readBytes(file, GROUPS_AT))
  )
  if (typeof header === 'string') throw damageError(disk, name, 0, named.first, header)
  if (segmentName(header) !== name)
    throw damageError(disk, name, 0, named.first, `its header says that it is ${segmentName(header)}`)
  return { ...header, name, last: Infinity }
}

/**
 * Reads the headers of all segments among the names of a folder. A later generation voids what earlier ones hold from its first index on.
 * @param known headers that were read before, and do not change
 * @returns them in the order of their commits, void ones left out; the last one is the newest
 * @throws LogDamage when a header is damaged, or is another log's
 */
export async function readSegments(
  disk: Disk,
  names: readonly string[],
  identity: LogIdentity | undefined,
  known: readonly Segment[] = []
): Promise<Segment[]> {
  const segments: Segment[] = []
  for (const name of segmentsIn(names))
    segments.push(known.find(each => each.name === name) ?? (await readHeader(disk, name)))
  segments.sort(bySequence)
  const id = identity?.id ?? segments.at(-1)?.id
  const foreign = segments.find(each => each.id !== id)
  if (foreign) throw damageError(disk, foreign.name, 0, foreign.first, 'it belongs to another log')
  let first = Infinity
  for (const segment of segments.toReversed()) {
    segment.last = first - 1
    first = Math.min(first, segment.first)
  }
  return segments.filter(({ first: begin, last }) => begin <= last)
}
