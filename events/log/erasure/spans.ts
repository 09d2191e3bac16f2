// Where in a segment the parts are that are to be erased.
import type { ReadableFile } from '../disk.js'
import { GROUP_ROOM } from '../group.js'
import type { StoredRecord } from '../record.js'
import { ANSWER, isSealed, PAYLOAD, SECRETS, WHO, type PartPlace } from '../record-format.js'
import type { SegmentHeader } from '../segments/format.js'
import type { Place } from '../segments/sparse.js'
import { SegmentWalk } from '../segments/walk.js'
import type { Erasing } from '../../erasing.js'

/** Whether a part is to be erased. */
const isWanted = ({ kind, event }: PartPlace, { who, answer, events, secrets }: Erasing): boolean => {
  switch (kind) {
    case WHO:
      return who === true
    case ANSWER:
      return answer === true
    case PAYLOAD:
      return events?.includes(event) === true
    case SECRETS:
      return events?.includes(event) === true || secrets?.includes(event) === true
    default:
      return false
  }
}

/** The parts of a record that are to be erased, and are still there. */
export const partsToErase = (record: StoredRecord, erasing: Erasing): readonly PartPlace[] =>
  [...record.layout()].filter(part => !part.isErased && isWanted(part, erasing))

/** A part, by its bytes in the segment. */
export interface Span {
  readonly from: number
  readonly to: number
  /** Whether a packed segment keeps it apart, uncompressed. */
  readonly isSecret: boolean
}

/**
 * Finds the parts of a segment that are still there, ascending.
 * @param wanted by index
 * @param from where to begin to read; default: at the first group
 */
export async function spansIn(
  file: ReadableFile,
  segment: SegmentHeader,
  wanted: ReadonlyMap<number, Erasing>,
  from?: Place
): Promise<readonly Span[]> {
  const spans: Span[] = []
  let last = 0
  for (const index of wanted.keys()) last = Math.max(last, index)
  // A part may be damaged by what was being erased when its machine failed: it is erased all the same.
  const walk = new SegmentWalk(file, segment, { from, withParts: false })
  while (walk.next <= last) {
    const groups = await walk.groups()
    if (groups.length === 0) break
    for (const { offset, records } of groups) {
      let at = offset + GROUP_ROOM
      for (const record of records) {
        const erasing = wanted.get(record.index)
        if (erasing)
          for (const { kind, start, end } of partsToErase(record, erasing))
            spans.push({ from: at + start, to: at + end, isSecret: isSealed(kind) })
        at += record.bytes.length
      }
    }
  }
  return spans
}
