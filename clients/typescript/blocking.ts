import { indexIn, type Answer } from './answer.js'
import type { Connection, Query } from './connection.js'
import { isTransient, RequestRefused } from './failures.js'
import { backoff, pause } from './backoff.js'

/** Shorter than the header timeout of Node and of many proxies. */
const WAIT = '2m'
const NOT_FOUND = 404

export interface BlockingOptions<Value> {
  readonly query?: Query
  /** The last seen index: the first result is yielded when the index differs. */
  readonly index?: number | string
  /** Maximum time of one request, such as `30s`; 2 minutes by default. Iteration continues after it. */
  readonly wait?: string
  /** Decodes a response; from JSON by default. */
  readonly parse?: (answer: Answer) => Promise<Value>
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
}

export interface BlockingResult<Value> {
  /** Undefined if the resource does not exist (404). */
  readonly value: Value | undefined
  /** For `index` of a later iteration. A text, because some indexes have 64 bits. */
  readonly index: string
}

/**
 * Yields the result of a read, and again each time that its index changes. After the first response, the iteration survives
 * restarts and lost connections.
 * @param path of a read that can block
 * @throws RequestRefused for a permanent failure, TypeError for a read that cannot block, Unreachable before the first response,
 * or the reason of the signal
 */
export async function* blocking<Value = unknown>(
  connection: Connection,
  path: string,
  options: BlockingOptions<Value> = {}
): AsyncGenerator<BlockingResult<Value>, never> {
  const { query, wait = WAIT, parse = answer => answer.json<Value>(), signal } = options
  const { index = '0' } = options
  let seen = String(index)
  let requested = seen
  let hasAnswered = false
  for (let failures = 0; ;) {
    try {
      const parameters = { ...query, index: requested, wait }
      const shown = await read(connection, path, { query: parameters, ...(signal ? { signal } : {}) }, parse)
      failures = 0
      hasAnswered = true
      // A smaller index belongs to another log, as after a restore, so the current state is read again.
      requested = BigInt(shown.index) < BigInt(seen) ? '0' : shown.index
      if (shown.index === seen) continue
      seen = shown.index
      yield shown
    } catch (error) {
      signal?.throwIfAborted()
      if (!hasAnswered || !isTransient(error)) throw error
      await pause(backoff(++failures), signal)
    }
  }
}

const read = async <Value>(
  connection: Connection,
  path: string,
  sending: { readonly query: Query; readonly signal?: AbortSignal },
  parse: (answer: Answer) => Promise<Value>
): Promise<BlockingResult<Value>> => {
  try {
    const answer = await connection.request('GET', path, sending)
    const index = indexIn(answer.headers)
    if (!/^\d+$/.test(index))
      throw new TypeError(`${path} is no read that can block: its answer has no index`)
    return { value: await parse(answer), index }
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.status !== NOT_FOUND) throw error
    const index = indexIn(error.headers)
    if (!/^\d+$/.test(index)) throw error
    return { value: undefined, index }
  }
}
