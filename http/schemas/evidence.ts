// Proofs about the log.
import * as Type from 'typebox'
import { mark, text, sample, view } from './view.js'

const hash = 'SHA-256 in Base64'
const HASH = 'kGmUQwOOVzTi/tzqyKqqTJzbqJV0pqLPkCUqaZsBy8A='
const hashes = (description: string) => sample.of([HASH, HASH], Type.Array(Type.String(), { description }))

export const inclusionProof = view('InclusionProof', {
  Index: sample.integer(42, 'Of the commit; it is leaf Index - 1 of the tree'),
  TreeSize: sample.integer(43, 'Leaves of the tree, as in a checkpoint'),
  LeafHash: sample.text(HASH, `Hash of the leaf, ${hash}`),
  Hashes: hashes(`The path to the root in the order of RFC 9162, the sibling of the leaf first, ${hash}`)
})

export const consistencyProof = view('ConsistencyProof', {
  From: sample.integer(42, 'Leaves of the older tree'),
  To: sample.integer(57, 'Leaves of the newer tree'),
  Hashes: hashes(`In the order of RFC 9162, ${hash}`)
})

const part = Type.Object({
  Kind: Type.String({ description: 'Who, or of an event Head, Payload or Secrets' }),
  Salt: text('16 bytes in Base64; of a part that is opened'),
  Text: text('JSON. The leaf commits to its hash with the salt (docs/reference/evidence.md)'),
  Withheld: mark('The caller may not see it, or it is secret'),
  Erased: mark('It was erased'),
  Hash: text(
    'Commitment of a part that is not opened, SHA-256 in Base64; absent for leaves of version 1, which contain it'
  )
})

const HEAD = '{"Topic":"KV","Type":"KVSet","Key":"web/port",…}'
const PAYLOAD = '{"KV":{"Key":"web/port",…}}'
const PARTS = [
  { Kind: 'Who', Withheld: true, Hash: HASH },
  { Kind: 'Head', Salt: 'mYtYr1wzBb1vE0cYd7rH9A==', Text: HEAD },
  { Kind: 'Payload', Salt: 'O0hCPs6gW3hQ2k1y4Uo3lA==', Text: PAYLOAD }
]

export const leaf = view('Leaf', {
  Index: sample.integer(42, 'Of the commit'),
  Leaf: sample.text('AgAAAAAAAAAq…', 'The bytes that are hashed for the tree, behind 0x00, in Base64'),
  Parts: sample.of(
    PARTS,
    Type.Array(part, { description: 'In the order in which the leaf has their hashes' })
  )
})
