// The log of a running server, as its event stream gives it.
import type { Commit, Event, Origin } from '../events/envelope.js'
import { checkIndex, type CommitRange, type ReadableLog, type ResourceSelector } from './log.js'

/** A server did not give what was asked for. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused'

  constructor(
    /** Of HTTP, or of the last line of a stream. */
    readonly status: number,
    text: string
  ) {
    super(`the server answered ${status}: ${text.trim()}`)
  }
}

export interface ServerLogOptions {
  /** Secret of a token; one of management sees all that a stream tells. */
  readonly token?: string
}

/** A line of the stream: one of them. */
interface Line {
  readonly Index?: number
  readonly Meta?: Origin & { readonly Time: string }
  readonly Events?: readonly (Omit<Event, 'Partition'> & { readonly Partition?: string })[]
  readonly End?: string
  readonly LastIndex?: number
  readonly Error?: { readonly Code: number; readonly Message: string }
}

/** Needs `operator:read`, for who made a commit and when. Events come without secrets, and those of no stream not at all. */
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

  /** Index of the oldest commit that the token may see. */
  get firstIndex(): number {
    return this.#first
  }

  get lastIndex(): number {
    return this.#last
  }

  /** Looks how far the log is now. @throws ServerRefused */
  async refresh(): Promise<number> {
    for await (const { LastIndex } of this.#lines('index=now&until=now'))
      if (LastIndex !== undefined) this.#last = LastIndex
    return this.#last
  }

  async *commits({ from = this.firstIndex, until = this.#last }: CommitRange = {}): AsyncGenerator<Commit> {
    const to = typeof until === 'number' ? checkIndex(until, this.#last) : until.toISOString()
    if (typeof to === 'number' && from > to) return
    let next = from
    for await (const line of this.#lines(`index=${from}&until=${to}&strict=true&meta=true`)) {
      const { Index = 0, Meta, Events = [], End, LastIndex = 0 } = line
      if (Index > 0 && Meta) {
        const { Time, ...By } = Meta
        while (next < Index) yield unseen(next++, Time)
        yield {
          Index,
          Time,
          By,
          Events: Events.map(event => ({ ...event, Partition: event.Partition ?? 'default' }))
        }
        next = Index + 1
      }
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
    for await (const { Index = 0, Meta, Events = [] } of this.#lines(query.toString())) {
      const about = Events.filter(event => event.Key === key)
      if (Index === 0 || !Meta || about.length === 0) continue
      const { Time, ...By } = Meta
      yield {
        Index,
        Time,
        By,
        Events: about.map(event => ({ ...event, Partition: event.Partition ?? partition }))
      }
    }
  }

  async close(): Promise<void> {}

  async *#lines(query: string): AsyncGenerator<Line> {
    yield* linesOf(`${this.base}/v1/event/stream?${query}`, this.headers)
  }
}

/** A commit whose events no stream shows. */
const unseen = (Index: number, Time: string): Commit => ({
  Index,
  Time,
  By: { AccessorID: '', Address: '', RequestID: '', Command: '' },
  Events: []
})

/**
 * The lines that a server answers with. Who stops before the last one ends the request.
 * @throws ServerRefused when there are none, or the last one tells of an error
 */
async function* linesOf(url: string, headers: Readonly<Record<string, string>>): AsyncGenerator<Line> {
  const ended = new AbortController()
  try {
    const answer = await fetch(url, { headers, signal: ended.signal })
    if (!answer.ok || !answer.body) throw new ServerRefused(answer.status, await answer.text())
    const reader = answer.body.getReader()
    const decoder = new TextDecoder()
    let isWhole = false
    let rest = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const texts = (rest + decoder.decode(next.value, { stream: true })).split('\n')
      rest = texts.pop() ?? ''
      for (const text of texts) {
        const line: Line = JSON.parse(text)
        if (line.Error) throw new ServerRefused(line.Error.Code, line.Error.Message)
        isWhole ||= line.End !== undefined
        yield line
      }
    }
    if (!isWhole) throw new ServerRefused(503, 'the stream broke off')
  } finally {
    ended.abort()
  }
}
