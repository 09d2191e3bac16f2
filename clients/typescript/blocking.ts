// Blocking queries as an iterator: what a read shows, each time that it shows something else.
import type { Answer } from './answer.js'
import type { Connection, Query } from './connection.js'
import { isTransient, RequestRefused } from './failures.js'
import { backoff, pause } from './backoff.js'

/** Shorter than Node and many proxies wait for the head of an answer. */
const WAIT = '2m'
const NOT_FOUND = 404

export interface BlockingOptions<Value> {
  readonly query?: Query
  /** What was seen before: nothing is yielded until something else is there. */
  readonly index?: number | string
  /** How long the server holds one request, as a duration such as `30s`; 2 minutes when absent. Iteration continues after it. */
  readonly wait?: string
  /** Makes a value of an answer; from its JSON when absent. */
  readonly parse?: (answer: Answer) => Promise<Value>
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
}

/** What a read showed. */
export interface BlockingResult<Value> {
  /** Undefined when what is read does not exist: the answer was 404. */
  readonly value: Value | undefined
  /** For `index` of a later iteration. It is a text because some have 64 bits. */
  readonly index: string
}

const indexIn = (headers: Headers): string =>
  headers.get('X-Service-Index') ?? headers.get('X-Consul-Index') ?? ''

/**
 * Yields what a read shows now, and again each time that its index changes. Once the server has answered, the iteration outlives
 * restarts and lost connections.
 * @param path of a read that can block
 * @throws RequestRefused for what another try would not change, and when the read cannot block; Unreachable before the first answer;
 * the reason of the signal
 */
export async function* blocking<Value = unknown>(
  connection: Connection,
  path: string,
  options: BlockingOptions<Value> = {}
): AsyncGenerator<BlockingResult<Value>, never> {
  const { query, wait = WAIT, parse = answer => answer.json<Value>(), signal } = options
  const { index = '0' } = options
  let seen = String(index)
  let asked = seen
  let hasAnswered = false
  for (let failures = 0; ;) {
    try {
      const parameters = { ...query, index: asked, wait }
      const shown = await read(connection, path, { query: parameters, ...(signal ? { signal } : {}) }, parse)
      failures = 0
      hasAnswered = true
      // A smaller index belongs to another log, as after a restore, so the current state is read again.
      asked = BigInt(shown.index) < BigInt(seen) ? '0' : shown.index
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
