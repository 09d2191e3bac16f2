// The lines of an audit, from either end.
import { Readable } from 'node:stream'
import type { AuditLine } from '../../audit-lines.js'
import type { Answer } from '../../typescript/answer.js'
import type { Query } from '../../typescript/connection.js'
import { parseExact } from '../../exact-json.js'
import { Failed, hasStatus } from '../console.js'
import { jsonLinesOf } from '../json-lines.js'
import type { Run } from '../remote/command.js'
import { indexOf } from '../history/moments.js'
import { timeOfMoment } from '../remote/times.js'

type Requests = Pick<Run, 'get' | 'read'>

interface Selection {
  /** Parameters of `GET /v1/event/audit` besides the range. */
  readonly query: Query
  /** Moments. */
  readonly since: string | undefined
  readonly until: string | undefined
  readonly limit: number
}

/** What an audit left out. */
interface Ending {
  /** How to continue after the limit. */
  readonly more?: string
  readonly withheld: number
}

const PATH = '/v1/event/audit'
/** Commits of the first and the largest request. */
const FIRST_WINDOW = 1000
const LARGEST_WINDOW = 64_000

/** @throws Failed */
const checkFailure = ({ Error: error, LastIndex }: AuditLine): void => {
  if (error) throw new Failed(`${error.Message}; printed up to ${LastIndex}`)
}

/** Yields the lines of a response, the last of which is its end, without heartbeats. @throws Failed if it breaks off */
async function* linesOf({ body }: Answer): AsyncGenerator<AuditLine> {
  if (!body) return
  for await (const json of jsonLinesOf(Readable.fromWeb(body), Number.MAX_SAFE_INTEGER)) {
    const line: AuditLine = Object(parseExact(json))
    checkFailure(line)
    if (Object.keys(line).length > 0) yield line
  }
}

/** Lines that are no records: heartbeats, and the end or the failure of the response. */
const CONTROL = /^\{(?:\}$|"End":|"Error":)/

/** Yields a line for each event as another product reads it, the oldest first. @throws Failed if the response breaks off */
export async function* records(
  { get }: Requests,
  { query, since, until }: Omit<Selection, 'limit'>
): AsyncGenerator<string> {
  const { body } = await get(PATH, { ...query, since, until })
  if (!body) return
  for await (const text of jsonLinesOf(Readable.fromWeb(body), Number.MAX_SAFE_INTEGER))
    if (CONTROL.test(text)) checkFailure(Object(parseExact(text)))
    else yield text
}

/** Yields commits or denials, the oldest first. */
export async function* oldestFirst(
  { get }: Requests,
  { query, since, until, limit }: Selection
): AsyncGenerator<AuditLine, Ending> {
  let withheld = 0
  let count = 0
  for await (const line of linesOf(await get(PATH, { ...query, since, until }))) {
    withheld += line.Withheld ?? 0
    if (line.End !== undefined) continue
    yield line
    if (++count >= limit) return { withheld, more: `Newer commits: --since ${(line.Index ?? 0) + 1}` }
  }
  return { withheld }
}

/** Returns the first index of a range. */
const firstOf = async (read: Run['read'], since: string | undefined): Promise<number> => {
  if (since === undefined) return 1
  const time = timeOfMoment(since)
  if (time === undefined) return Math.max(Number(since), 1)
  try {
    const { Index } = await read('/v1/event/moment', { at: new Date(time - 1).toISOString() })
    return Index + 1
  } catch (error) {
    // The time precedes the log.
    if (hasStatus(error, 400, 410)) return 1
    throw error
  }
}

const lastOf = async (read: Run['read'], until: string | undefined, newest: number): Promise<number> => {
  if (until === undefined) return newest
  return Math.min(Number(await indexOf(read, until)), newest)
}

/** Yields commits, the newest first. Reads windows of the log backwards, which grow while they have few matches. */
export async function* newestFirst(
  { get, read }: Requests,
  { query, since, until, limit }: Selection
): AsyncGenerator<AuditLine, Ending> {
  // The refusal of a pruned beginning.
  if (query['strict']) await (await get(PATH, { ...query, since, until, limit: 1 })).body?.cancel()
  const { Newest } = await read('/v1/event/moment')
  const [first, last] = await Promise.all([firstOf(read, since), lastOf(read, until, Newest)])
  let withheld = 0
  let count = 0
  let size = Math.min(FIRST_WINDOW, Math.max(64, limit * 2))
  for (let to = last; to >= first;) {
    const from = Math.max(first, to - size + 1)
    const lines: AuditLine[] = []
    const answer = await get(PATH, { ...query, since: from, until: to })
    for await (const line of linesOf(answer)) {
      withheld += line.Withheld ?? 0
      if (line.End === undefined) lines.push(line)
    }
    for (const line of lines.toReversed()) {
      yield line
      const { Index = 0 } = line
      if (++count >= limit)
        return { withheld, ...(Index > first ? { more: `Older commits: --until ${Index - 1}` } : {}) }
    }
    // Earlier commits were pruned.
    if (Number(answer.headers.get('X-Service-Oldest-Index') ?? 0) > from) break
    to = from - 1
    if (lines.length * 4 < size) size = Math.min(size * 4, LARGEST_WINDOW)
  }
  return { withheld }
}

/** Yields denied attempts, the newest first. The settings of the server bound their number. */
export async function* newestDenials(
  requests: Requests,
  selection: Selection
): AsyncGenerator<AuditLine, Ending> {
  const lines: AuditLine[] = []
  for await (const line of oldestFirst(requests, { ...selection, limit: Infinity })) lines.push(line)
  yield* lines.toReversed().slice(0, selection.limit)
  return { withheld: 0 }
}
