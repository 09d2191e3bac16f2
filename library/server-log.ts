import { NO_CALLER, type Commit, type Event, type Origin } from '../events/envelope.js'
import type { TopicName } from './events.js'
import {
  checkIndex,
  type CommitRange,
  type ReadableLog,
  type ResourceSelector,
  type SelectedRange,
  type TopicCommit,
  type TopicRange
} from './log.js'

/** A server refused a request. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused'

  constructor(
    /** The HTTP status, or the code in the last line of a stream. */
    readonly status: number,
    text: string
  ) {
    super(`the server answered ${status}: ${text.trim()}`)
  }
}

export interface ServerLogOptions {
  /** Secret of a token; a management token reads everything. */
  readonly token?: string
}

/** A line of the stream: a commit or a control line. */
interface Line {
  readonly Index?: number
  readonly Meta?: Origin & { readonly Time: string }
  readonly Events?: readonly (Omit<Event, 'Partition'> & { readonly Partition?: string })[]
  readonly End?: string
  readonly LastIndex?: number
  readonly Error?: { readonly Code: number; readonly Message: string }
}

/** A running server's log, from its event stream. Requires `operator:read` for origins of commits. Lacks secrets and events that are not streamed. */
export class ServerLog implements ReadableLog {
  #first = 1
  #last = 0

  /** @throws ServerRefused */
  static async open(url: string, { token }: ServerLogOptions): Promise<ServerLog> {
    const base = url.replace(/\/+$/, '')
    const headers = token === undefined ? {} : { 'X-Service-Token': token }
    const log = new ServerLog(base, headers)
    await log.refresh()
    for await (const { Index = 0 } of log.#lines('index=beginning&until=now&limit=1&topic=*'))
      if (Index > 0) log.#first = Index
    return log
  }

  private constructor(
    private readonly base: string,
    private readonly headers: Readonly<Record<string, string>>
  ) {}

  /** Index of the oldest commit that the token may read. */
  get firstIndex(): number {
    return this.#first
  }

  get lastIndex(): number {
    return this.#last
  }

  /** Updates and returns `lastIndex`. @throws ServerRefused */
  async refresh(): Promise<number> {
    for await (const { LastIndex } of this.#lines('index=now&until=now'))
      if (LastIndex !== undefined) this.#last = LastIndex
    return this.#last
  }

  commits<Topic extends TopicName>(range: TopicRange<Topic>): AsyncIterable<TopicCommit<Topic>>
  commits(range?: CommitRange): AsyncIterable<Commit>
  commits(range: SelectedRange = {}): AsyncIterable<Commit> {
    return this.#commits(range)
  }

  async *#commits({
    from = this.firstIndex,
    until = this.#last,
    topics
  }: SelectedRange): AsyncGenerator<Commit> {
    const to = typeof until === 'number' ? checkIndex(until, this.#last) : until.toISOString()
    if (typeof to === 'number' && from > to) return
    let next = topics ? Infinity : from
    const selection = topics?.map(topic => `&topic=${encodeURIComponent(topic)}`).join('') ?? ''
    for await (const line of this.#lines(`index=${from}&until=${to}&strict=true&meta=true${selection}`)) {
      const commit = commitOf(line)
      if (commit) {
        while (next < commit.Index) yield unseen(next++, commit.Time)
        yield commit
        next++
      }
      const { End, LastIndex = 0 } = line
      if (End !== undefined) while (next <= LastIndex) yield unseen(next++, '')
    }
  }

  async *history({
    topic,
    key,
    namespace = 'default',
    partition = 'default'
  }: ResourceSelector): AsyncGenerator<Commit> {
    const query = new URLSearchParams({
      topic: `${topic}:${key}`,
      namespace: namespace || 'default',
      partition,
      index: String(this.firstIndex),
      until: String(this.#last),
      meta: 'true'
    })
    for await (const line of this.#lines(query.toString())) {
      const commit = commitOf(line)
      const Events = commit?.Events.filter(event => event.Key === key) ?? []
      if (commit && Events.length > 0) yield { ...commit, Events }
    }
  }

  async close(): Promise<void> {}

  /** Yields the lines of a stream. Stopping early aborts the request. @throws ServerRefused for another response, or an error in the last line */
  async *#lines(query: string): AsyncGenerator<Line> {
    const ended = new AbortController()
    try {
      const { headers } = this
      const url = `${this.base}/v1/event/stream?${query}`
      const response = await fetch(url, { headers, signal: ended.signal })
      if (!response.ok || !response.body) throw new ServerRefused(response.status, await response.text())
      let isComplete = false
      let rest = ''
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        const texts = (rest + piece).split('\n')
        rest = texts.pop() ?? ''
        for (const text of texts) {
          const line: Line = JSON.parse(text)
          if (line.Error) throw new ServerRefused(line.Error.Code, line.Error.Message)
          isComplete ||= line.End !== undefined
          yield line
        }
      }
      if (!isComplete) throw new ServerRefused(503, 'the stream broke off')
    } finally {
      ended.abort()
    }
  }
}

/** Returns the commit in a line; undefined for control lines. */
const commitOf = ({ Index = 0, Meta, Events = [] }: Line): Commit | undefined => {
  if (Index === 0 || !Meta) return undefined
  const { Time, ...By } = Meta
  return { Index, Time, By, Events: Events.map(event => ({ Partition: 'default', ...event })) }
}

/** A commit whose events no stream shows. */
const unseen = (Index: number, Time: string): Commit => ({ Index, Time, By: NO_CALLER, Events: [] })
