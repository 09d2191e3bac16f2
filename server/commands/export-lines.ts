// The lines of an exported log: a header, one line for each commit, and a trailer that proves completeness.
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { commitText, eventTexts, sha256 } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'
import type { LinesDigest, VerifierPlatform } from '../../clients/evidence/platform.js'
import { fromBase64 } from '../../events/log/evidence/base64.js'

const EXPORT = 'log export'
/** Format version, raised when older versions cannot read the format. */
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
  /** The secrets are included, which an import needs. */
  Secrets: Type.Boolean()
})

export type ExportHeader = Readonly<Type.Static<typeof header>>

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
    ChangeSet: Type.Optional(Type.String()),
    Owner: Type.Optional(Type.String()),
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
      /** Absent after an erasure. */
      Payload: Type.Optional(Type.Object({})),
      Erased: Type.Optional(Type.Literal(true)),
      Secrets: Type.Optional(texts)
    })
  )
})

const lines = Compile(line)

export const headerLine = (fields: Omit<ExportHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EXPORT, Format: FORMAT, ...fields })

export const readHeader = (value: unknown): ExportHeader | undefined =>
  Value.Check(header, value) ? value : undefined

const withSecrets = ({ Secrets }: Event, text: string): string =>
  Secrets === undefined ? text : `${text.slice(0, -1)},"Secrets":${JSON.stringify(Secrets)}}`

/** Formats a commit like `commitText`, with its secrets. */
export const commitLine = (commit: Commit): string =>
  commitText(
    commit,
    eventTexts(commit).map((text, i) => {
      const event = commit.Events[i]
      return event === undefined ? text : withSecrets(event, text)
    })
  )

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

/** Computes the digest of the trailer. */
export class NodeLinesDigest implements LinesDigest {
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

/** The platform of the verification in Node. */
export const nodePlatform: VerifierPlatform = {
  sha256,
  fromBase64,
  toBase64: bytes => Buffer.from(bytes).toString('base64'),
  linesDigest: () => new NodeLinesDigest()
}
