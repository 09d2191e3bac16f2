import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { Static } from 'typebox'

export const REPLICATION_PATH = '/v1/internal/replication'

const index = Type.Integer({ minimum: 0 })

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const indexes = Type.Object({ Policies: index, Roles: index, Tokens: index, ConfigEntries: index })

/** The state of a resource, or its deletion, with secrets. */
const change = Type.Object({
  Topic: Type.String(),
  Type: Type.String(),
  Key: Type.String(),
  Namespace: Type.String(),
  Partition: Type.String(),
  FilterKeys: Type.Null(),
  Payload: Type.Object({}),
  Secrets: Type.Optional(Type.Record(Type.String(), Type.String()))
})

/** The first message. */
const begin = Type.Object({
  Kind: Type.Literal('Begin'),
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** Commits after this index follow. With `Snapshot`, a complete transfer precedes them. */
  Index: index,
  Hash: hash,
  Snapshot: Type.Boolean(),
  /** Tokens are included, because they were requested and may be read with their secrets. */
  WithTokens: Type.Boolean(),
  Indexes: indexes
})

/** A part of the complete transfer. */
const resources = Type.Object({ Kind: Type.Literal('Things'), Things: Type.Array(change) })

/** The end of the complete transfer. */
const whole = Type.Object({ Kind: Type.Literal('Whole') })

/** All replicated changes up to this index, possibly none. */
const commits = Type.Object({
  Kind: Type.Literal('Commits'),
  Index: index,
  Hash: hash,
  Indexes: indexes,
  Changes: Type.Array(change)
})

const message = Type.Union([begin, resources, whole, commits])

export type Change = Static<typeof change>
export type FeedBegin = Static<typeof begin>
export type FeedMessage = Static<typeof message>

/** @throws Error if the message is invalid */
export const parseFeedMessage = (text: string): FeedMessage => {
  const value: unknown = JSON.parse(text)
  if (!Value.Check(message, value)) throw new Error('the primary sent an invalid replication message')
  return value
}
