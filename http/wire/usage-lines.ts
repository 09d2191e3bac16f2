// Recorded questions as lines of JSON, for files and other servers: a head, tokens each with its questions, and a checksum.
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { DayCoverage } from '../../projections/acl/usage/coverage.js'
import type { Holdings } from '../../projections/acl/usage/question.js'
import type { StoredCount } from '../../projections/acl/usage/question-store.js'
import { StepPace, type Steps } from '../../projections/steps.js'

const VERSION = 1

const identities = Type.Array(Type.Record(Type.String(), Type.Unknown()))
const links = Type.Array(Type.Object({ ID: Type.String() }))
const head = Type.Object({
  version: Type.Literal(VERSION),
  observed: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  lost: Type.Integer()
})
const subjectLine = Type.Object({
  accessor: Type.Optional(Type.String()),
  holdings: Type.Unsafe<Holdings>(
    Type.Object({
      tenancy: Type.Object({ partition: Type.String(), namespace: Type.String() }),
      Policies: links,
      Roles: links,
      ServiceIdentities: identities,
      NodeIdentities: identities,
      Rules: Type.Optional(Type.String())
    })
  )
})
const countLine = Type.Tuple([
  Type.Integer(),
  Type.String(),
  Type.String(),
  Type.String(),
  Type.Enum(['one', 'list', 'collapsed']),
  Type.Integer(),
  Type.Integer(),
  Type.Integer()
])

const serverLine = Type.Object({ server: Type.String(), bytes: Type.Optional(Type.Integer({ minimum: 0 })) })

/** The encoded questions of a server; undefined if it has not answered. */
export interface ServerUsage {
  readonly name: string
  readonly bytes: Buffer | undefined
}

/** Joins what servers have encoded, each after a line with its name and number of bytes. */
export const joinServers = (servers: readonly ServerUsage[]): Buffer =>
  Buffer.concat(
    servers.flatMap(({ name, bytes }) => [
      Buffer.from(`${JSON.stringify({ server: name, bytes: bytes?.length })}\n`),
      ...(bytes ? [bytes] : [])
    ])
  )

/** @throws Error if the bytes are of another form */
export const splitServers = (joined: Buffer): readonly ServerUsage[] => {
  const servers: ServerUsage[] = []
  for (let from = 0; from < joined.length;) {
    const to = joined.indexOf('\n', from) + 1
    const { server: name, bytes } = Value.Parse(serverLine, JSON.parse(joined.subarray(from, to).toString()))
    from = to + (bytes ?? 0)
    servers.push({ name, bytes: bytes === undefined ? undefined : joined.subarray(to, from) })
  }
  return servers
}

export function* encodeUsage(coverage: DayCoverage, counts: Iterable<StoredCount>): Steps<Buffer> {
  const pace = new StepPace()
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  const add = (line: unknown): void => {
    const piece = Buffer.from(`${JSON.stringify(line)}\n`)
    hash.update(piece)
    pieces.push(piece)
  }
  add({ version: VERSION, ...coverage })
  let subject: StoredCount['subject'] | undefined
  for (const { subject: of, code, partition, namespace, segment, extent, count, first, last } of counts) {
    if (of.accessor !== subject?.accessor || of.holdings !== subject?.holdings) add((subject = of))
    add([code, partition, namespace, segment, extent, count, first, last])
    if (pace.isOver()) yield
  }
  pieces.push(Buffer.from(`${JSON.stringify({ sha256: hash.digest('hex') })}\n`))
  return Buffer.concat(pieces)
}

/** Calls `put` for each count. Returns the coverage. @throws Error if the bytes are damaged or of another form */
export function* decodeUsage(bytes: Buffer, put: (count: StoredCount) => void): Steps<DayCoverage> {
  const end = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  const sha256 = createHash('sha256').update(bytes.subarray(0, end)).digest('hex')
  if (!Value.Equal(JSON.parse(bytes.subarray(end).toString()), { sha256 }))
    throw new Error('the checksum does not match')
  const pace = new StepPace()
  let coverage: DayCoverage | undefined
  let subject: StoredCount['subject'] | undefined
  for (let from = 0; from < end;) {
    const to = bytes.indexOf('\n', from)
    const parsed: unknown = JSON.parse(bytes.subarray(from, to).toString())
    from = to + 1
    if (pace.isOver()) yield
    if (!coverage) {
      const { observed, lost } = Value.Parse(head, parsed)
      coverage = { observed, lost }
    } else if (!Array.isArray(parsed)) {
      const { accessor, holdings } = Value.Parse(subjectLine, parsed)
      subject = { accessor, holdings }
    } else {
      if (!subject) throw new Error('a question has no token')
      const [code, partition, namespace, segment, extent, count, first, last] = Value.Parse(countLine, parsed)
      put({ subject, code, partition, namespace, segment, extent, count, first, last })
    }
  }
  if (!coverage) throw new Error('there is no head')
  return coverage
}
