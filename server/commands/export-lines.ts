// The lines of an exported log: a header, one line for each commit, and a trailer that shows whether the file
// is complete and unchanged.
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { commitText, eventTexts } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

/** The format's name, in the first line. */
const EXPORT = 'log export'
/** The version of the format: raised when older versions cannot read it. */
const FORMAT = 1

const header = Type.Object({
  Annals: Type.Literal(EXPORT),
  Format: Type.Literal(FORMAT),
  /** ID and incarnation of the log. */
  Log: Type.String(),
  Incarnation: Type.Integer(),
  /** Index of the first commit, and index and hash of the last one. */
  From: Type.Integer({ minimum: 1 }),
  HeadIndex: Type.Integer({ minimum: 0 }),
  HeadHash: Type.String(),
  /** Whether the secrets are included, which an import needs. */
  Secrets: Type.Boolean()
})

/** The first line. */
export type ExportHeader = Readonly<Type.Static<typeof header>>

const trailer = Type.Object({
  /** The number of lines between the first and this one. */
  Commits: Type.Integer({ minimum: 0 }),
  /** SHA-256, hex, of all bytes before this line. */
  SHA256: Type.String({ pattern: '^[0-9a-f]{64}$' })
})

/** The last line. */
type ExportTrailer = Readonly<Type.Static<typeof trailer>>

const texts = Type.Record(Type.String(), Type.String())

const line = Type.Object({
  Index: Type.Integer({ minimum: 1 }),
  Time: Type.String({ maxLength: 255 }),
  By: Type.Object({
    AccessorID: Type.String(),
    Address: Type.String(),
    RequestID: Type.String(),
    Command: Type.String(),
    Reason: Type.Optional(Type.String()),
    Cause: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())])),
    Erased: Type.Optional(Type.Literal(true))
  }),
  Events: Type.Array(
    Type.Object({
      Topic: Type.String(),
      Type: Type.String(),
      Key: Type.String(),
      Namespace: Type.String(),
      Partition: Type.Optional(Type.String()),
      FilterKeys: Type.Union([Type.Array(Type.String()), Type.Null()]),
      /** Absent where it was erased. */
      Payload: Type.Optional(Type.Object({})),
      Erased: Type.Optional(Type.Literal(true)),
      Secrets: Type.Optional(texts)
    })
  )
})

/** Compiled, because it checks a line for each commit. */
const lines = Compile(line)

export const headerLine = (fields: Omit<ExportHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EXPORT, Format: FORMAT, ...fields })

/** The header in a line; undefined when it is not one that this version reads. */
export const readHeader = (value: unknown): ExportHeader | undefined =>
  Value.Check(header, value) ? value : undefined

export const trailerLine = (fields: ExportTrailer): string => JSON.stringify(fields)

/** The trailer in a line; undefined for any other line. */
export const readTrailer = (value: unknown): ExportTrailer | undefined =>
  Value.Check(trailer, value) ? value : undefined

const withSecrets = ({ Secrets }: Event, text: string): string =>
  Secrets === undefined ? text : `${text.slice(0, -1)},"Secrets":${JSON.stringify(Secrets)}}`

/** A commit as in `commitText`, with its secrets if there are any. */
export const commitLine = (commit: Commit): string =>
  commitText(
    commit,
    eventTexts(commit).map((text, i) => {
      const event = commit.Events[i]
      return event === undefined ? text : withSecrets(event, text)
    })
  )

/** The commit in a line; undefined for any other line. */
export const readCommit = (value: unknown): Commit | undefined => {
  if (!lines.Check(value)) return undefined
  const { Index, Time, By, Events } = value
  return {
    Index,
    Time,
    By,
    Events: Events.map(
      ({
        Topic,
        Type: type,
        Key,
        Namespace,
        Partition = 'default',
        FilterKeys,
        Payload = {},
        Erased,
        Secrets
      }) => ({
        Topic,
        Type: type,
        Key,
        Namespace,
        Partition,
        FilterKeys,
        Payload,
        ...(Erased && { Erased }),
        ...(Secrets && { Secrets })
      })
    )
  }
}

/** Computes the digest in the trailer, line by line. */
export class LinesDigest {
  readonly #hash = createHash('sha256')

  add(text: string): void {
    this.#hash.update(text)
    this.#hash.update('\n')
  }

  /** SHA-256, hex. Ends the computation. */
  end(): string {
    return this.#hash.digest('hex')
  }
}
