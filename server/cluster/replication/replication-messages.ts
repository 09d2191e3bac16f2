// What the primary tells the other datacenters, one message a line.
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { Static } from 'typebox'

/** Where the primary tells it. */
export const REPLICATION_PATH = '/v1/internal/replication'

const index = Type.Integer({ minimum: 0 })

/** Of a commit, hex. */
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const indexes = Type.Object({ Policies: index, Roles: index, Tokens: index, ConfigEntries: index })

/** What became of a thing, or how it is: with its secrets. */
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

/** The first one: what will follow, and of which log it is. */
const begin = Type.Object({
  Kind: Type.Literal('Begin'),
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** The commits after this index follow; before them, with `Snapshot`, everything that there is. */
  Index: index,
  /** Of the commit of this index. */
  Hash: hash,
  Snapshot: Type.Boolean(),
  /** Whether tokens are among it: only where they were asked for, and may be read with their secrets. */
  WithTokens: Type.Boolean(),
  Indexes: indexes
})

/** Some of what there is. */
const resources = Type.Object({ Kind: Type.Literal('Things'), Things: Type.Array(change) })

/** That was everything. */
const whole = Type.Object({ Kind: Type.Literal('Whole') })

/** Everything that became of things up to this index; nothing where only others have changed, or nobody has written. */
const commits = Type.Object({
  Kind: Type.Literal('Commits'),
  Index: index,
  /** Of the commit of this index. */
  Hash: hash,
  Indexes: indexes,
  Changes: Type.Array(change)
})

const message = Type.Union([begin, resources, whole, commits])

export type Change = Static<typeof change>
export type FeedBegin = Static<typeof begin>
export type FeedMessage = Static<typeof message>

/** @throws Error when it is no message of this version */
export const parseFeedMessage = (text: string): FeedMessage => {
  const value: unknown = JSON.parse(text)
  if (!Value.Check(message, value)) throw new Error('the primary sent what is no message of replication')
  return value
}
