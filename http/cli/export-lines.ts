// The lines of an exported log: a header that tells what it is, a line a commit, and a trailer by which a file that was cut, or changed, is noticed.
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { commitText, eventTexts } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

/** What the first line says it is. */
const EXPORT = 'log export'
/** Raised when an older version could not read what this one writes. */
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
  /** Whether the secrets are in it; a log can only be made of it then. */
  Secrets: Type.Boolean()
})

/** The first line. */
export type ExportHeader = Readonly<Type.Static<typeof header>>

const trailer = Type.Object({
  /** How many lines lie between this one and the first. */
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
    Command: Type.String()
  }),
  Events: Type.Array(
    Type.Object({
      Topic: Type.String(),
      Type: Type.String(),
      Key: Type.String(),
      Namespace: Type.String(),
      Partition: Type.Optional(Type.String()),
      FilterKeys: Type.Union([Type.Array(Type.String()), Type.Null()]),
      Payload: Type.Object({}),
      Secrets: Type.Optional(texts)
    })
  )
})

/** Compiled: there is one of it for each commit. */
const lines = Compile(line)

export const headerLine = (fields: Omit<ExportHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EXPORT, Format: FORMAT, ...fields })

/** The header that a line is; undefined when it is none that this version reads. */
export const readHeader = (value: unknown): ExportHeader | undefined =>
  Value.Check(header, value) ? value : undefined

export const trailerLine = (fields: ExportTrailer): string => JSON.stringify(fields)

/** The trailer that a line is; undefined for any other. */
export const readTrailer = (value: unknown): ExportTrailer | undefined =>
  Value.Check(trailer, value) ? value : undefined

const withSecrets = ({ Secrets }: Event, text: string): string =>
  Secrets === undefined ? text : `${text.slice(0, -1)},"Secrets":${JSON.stringify(Secrets)}}`

/** A commit as `commitText` has it; and with the secrets that it has. */
export const commitLine = (commit: Commit): string =>
  commitText(
    commit,
    eventTexts(commit).map((text, i) => {
      const event = commit.Events[i]
      return event === undefined ? text : withSecrets(event, text)
    })
  )

/** The commit that a line is; undefined when it is none. */
export const readCommit = (value: unknown): Commit | undefined => {
  if (!lines.Check(value)) return undefined
  const { Index, Time, By, Events } = value
  return {
    Index,
    Time,
    By,
    Events: Events.map(
      ({ Topic, Type: type, Key, Namespace, Partition = 'default', FilterKeys, Payload, Secrets }) => ({
        Topic,
        Type: type,
        Key,
        Namespace,
        Partition,
        FilterKeys,
        Payload,
        ...(Secrets && { Secrets })
      })
    )
  }
}

/** The digest that a trailer has, of one line after another. */
export class LinesDigest {
  readonly #hash = createHash('sha256')

  add(text: string): void {
    this.#hash.update(text)
    this.#hash.update('\n')
  }

  /** SHA-256, hex. Nothing can be added afterwards. */
  end(): string {
    return this.#hash.digest('hex')
  }
}
