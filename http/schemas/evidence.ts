// Proofs about the log.
import * as Type from 'typebox'

const hash = 'SHA-256 in Base64'
const hashes = (description: string) => Type.Array(Type.String(), { description })
const HASH = 'kGmUQwOOVzTi/tzqyKqqTJzbqJV0pqLPkCUqaZsBy8A='

export const inclusionProof = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit; it is leaf Index - 1 of the tree' }),
    TreeSize: Type.Integer({ description: 'Leaves of the tree, as in a checkpoint' }),
    LeafHash: Type.String({ description: `Hash of the leaf, ${hash}` }),
    Hashes: hashes(`The path to the root in the order of RFC 9162, the sibling of the leaf first, ${hash}`)
  },
  { $id: 'InclusionProof', examples: [{ Index: 42, TreeSize: 43, LeafHash: HASH, Hashes: [HASH, HASH] }] }
)

export const consistencyProof = Type.Object(
  {
    From: Type.Integer({ description: 'Leaves of the older tree' }),
    To: Type.Integer({ description: 'Leaves of the newer tree' }),
    Hashes: hashes(`In the order of RFC 9162, ${hash}`)
  },
  { $id: 'ConsistencyProof', examples: [{ From: 42, To: 57, Hashes: [HASH, HASH] }] }
)

const part = Type.Object({
  Kind: Type.String({ description: 'Who, or of an event Head, Payload or Secrets' }),
  Salt: Type.Optional(Type.String({ description: '16 bytes in Base64; of a part that is opened' })),
  Text: Type.Optional(
    Type.String({ description: 'JSON. The leaf has the SHA-256 of salt and text, one behind the other' })
  ),
  Withheld: Type.Optional(Type.Literal(true, { description: 'The caller may not see it, or it is secret' })),
  Erased: Type.Optional(Type.Literal(true, { description: 'It was erased' }))
})

export const leaf = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit' }),
    Leaf: Type.String({ description: 'The bytes that are hashed for the tree, behind 0x00, in Base64' }),
    Parts: Type.Array(part, { description: 'In the order in which the leaf has their hashes' })
  },
  {
    $id: 'Leaf',
    examples: [
      {
        Index: 42,
        Leaf: 'AQAAAAAAAAAq…',
        Parts: [
          { Kind: 'Who', Withheld: true },
          {
            Kind: 'Head',
            Salt: 'mYtYr1wzBb1vE0cYd7rH9A==',
            Text: '{"Topic":"KV","Type":"KVSet","Key":"web/port",…}'
          },
          { Kind: 'Payload', Salt: 'O0hCPs6gW3hQ2k1y4Uo3lA==', Text: '{"KV":{"Key":"web/port",…}}' }
        ]
      }
    ]
  }
)
