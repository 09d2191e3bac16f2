// A commit as evidence: what is shown of the leaf of the tree that stands for it.
import { sha256 } from '../../codec.js'
import { HEAD, PAYLOAD, SALT, WHO, type PartPlace } from '../record-format.js'
import type { StoredRecord } from '../record.js'
import { fromBase64 } from './base64.js'
import { nameOf, openLeafBy, type OpenedLeaf, type ShownLeaf, type ShownPart } from './open-leaf.js'

/**
 * A commit as evidence.
 * @param opens which parts are opened; secrets and parts of unknown kinds never are
 */
export function showLeaf(record: StoredRecord, opens: (part: PartPlace) => boolean): ShownLeaf {
  const Parts = Array.from(record.layout(), (part): ShownPart => {
    const Kind = nameOf(part.kind)
    if (part.isErased) return { Kind, Erased: true }
    const isText = part.kind === WHO || part.kind === HEAD || part.kind === PAYLOAD
    if (!isText || !opens(part)) return { Kind, Withheld: true }
    const salted = part.start + SALT
    return {
      Kind,
      Salt: record.bytes.toString('base64', part.start, salted),
      Text: record.bytes.toString('utf8', salted, part.end)
    }
  })
  return { Index: record.index, Leaf: record.leaf.toString('base64'), Parts }
}

/** Proves that the parts that are opened are what the leaf commits to. @throws Unproved */
export const openLeaf = (shown: ShownLeaf): OpenedLeaf<Buffer> => openLeafBy({ sha256, fromBase64 }, shown)
