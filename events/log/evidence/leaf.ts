import { EVENT_METADATA_PART, PAYLOAD_PART, SALT, ORIGIN_PART, type PartPosition } from '../record-format.js'
import type { StoredRecord } from '../record.js'
import { nameOf, type DisclosedLeaf, type DisclosedPart } from './open-leaf.js'

/** Returns a commit as evidence. @param opens selects the disclosed parts; secrets and parts of unknown kinds are never disclosed */
export function discloseLeaf(record: StoredRecord, opens: (part: PartPosition) => boolean): DisclosedLeaf {
  const { commitments } = record
  const Parts = Array.from(record.layout(), (part): DisclosedPart => {
    const Kind = nameOf(part.kind)
    const commitment = commitments?.[part.number]
    const hash = commitment && { Hash: commitment.toString('base64') }
    if (part.isErased) return { Kind, Erased: true, ...hash }
    const isText =
      part.kind === ORIGIN_PART || part.kind === EVENT_METADATA_PART || part.kind === PAYLOAD_PART
    if (!isText || !opens(part)) return { Kind, Withheld: true, ...hash }
    const salted = part.start + SALT
    return {
      Kind,
      Salt: record.bytes.toString('base64', part.start, salted),
      Text: record.bytes.toString('utf8', salted, part.end)
    }
  })
  return { Index: record.index, Leaf: record.leaf.toString('base64'), Parts }
}
