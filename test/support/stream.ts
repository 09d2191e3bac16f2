// A reader of the event stream: a connection of its own whose lines are taken one at a time.
import {
  request as open,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage
} from 'node:http'
import type { Cause, Event } from '../../events/envelope.js'
import { until } from './wait.js'

/** Where a commit came from. */
interface Meta extends Readonly<Record<'Time' | 'AccessorID' | 'RequestID' | 'Command' | 'Address', string>> {
  readonly Reason?: string
  readonly Cause?: Cause
}

export interface StreamEvent extends Omit<Event, 'Secrets' | 'Partition'> {
  readonly Partition?: string
  readonly Index: number
}

/** Any line of a stream. */
export interface Line {
  readonly Index?: number
  readonly Events?: readonly StreamEvent[]
  readonly Meta?: Meta
  readonly LastIndex?: number
  readonly Snapshot?: 'end'
  readonly CaughtUp?: true
  readonly End?: string
  readonly Error?: { readonly Code: number; readonly Message: string }
}

export interface StreamOptions {
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** A connection whose head has arrived. */
export class StreamReader {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #chunks: Buffer[] = []
  #rest = ''
  #lines: string[] = []
  #all: string[] = []
  #state: 'open' | 'ended' | 'broken' = 'open'

  /** @param take makes text of what arrives; as it is when absent */
  constructor(
    private readonly request: ClientRequest,
    private readonly response: IncomingMessage
  ) {
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    response.on('data', (chunk: Buffer) => this.#take(chunk))
    response.on('end', () => (this.#state = 'ended'))
    response.on('error', () => (this.#state = 'broken'))
    response.on('close', () => {
      if (this.#state === 'open') this.#state = 'broken'
    })
  }

  /** Everything that has arrived, as it came. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Every whole line so far. */
  get lines(): readonly string[] {
    return this.#all
  }

  /** What has arrived after the last whole line. */
  get rest(): string {
    return this.#rest
  }

  /** `ended` when the body came to its proper end, `broken` when the connection was. */
  get state(): 'open' | 'ended' | 'broken' {
    return this.#state
  }

  /** The next line, parsed. @throws Error when none comes */
  async next(): Promise<Line> {
    const line = await until('a line of the stream', () => {
      if (this.#lines.length === 0 && this.#state !== 'open') throw new Error(`the stream has ${this.#state}`)
      return this.#lines.shift()
    })
    const parsed: Line = JSON.parse(line)
    return parsed
  }

  /** The next line that is no heartbeat. */
  async message(): Promise<Line> {
    for (;;) {
      const line = await this.next()
      if (line.Index || line.Error || line.End) return line
    }
  }

  /** The last line of a stream that the server ends; messages before it are passed over. */
  async last(): Promise<Line> {
    for (;;) {
      const line = await this.next()
      if (line.Error) return line
    }
  }

  /** Messages up to the one that has this index, which must come. */
  async upTo(index: number): Promise<readonly Line[]> {
    const messages: Line[] = []
    while ((messages.at(-1)?.Index ?? 0) < index) {
      const message = await this.message()
      if (message.Error) throw new Error(`the stream ended: ${message.Error.Message}`)
      messages.push(message)
    }
    return messages
  }

  /** Resolves when the body has ended or the connection was broken. */
  async end(): Promise<'ended' | 'broken'> {
    return until('the end of the stream', () => this.#state !== 'open' && this.#state)
  }

  pause(): void {
    this.response.pause()
  }

  resume(): void {
    this.response.resume()
  }

  close(): void {
    this.request.destroy()
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    const parts = (this.#rest + chunk.toString()).split('\n')
    this.#rest = parts.pop() ?? ''
    this.#lines.push(...parts)
    this.#all.push(...parts)
  }
}

/**
 * Opens a stream and resolves when its head is there, whatever the status.
 * @param base such as `http://127.0.0.1:8500`
 * @param query such as `index=1&topic=KV`
 */
export function openStream(
  base: string,
  query = '',
  { token, headers }: StreamOptions = {}
): Promise<StreamReader> {
  return new Promise((resolve, reject) => {
    const request = open(
      `${base}/v1/event/stream${query === '' ? '' : `?${query}`}`,
      {
        agent: false,
        headers: { ...headers, ...(token === undefined ? {} : { 'x-service-token': token }) }
      },
      response => resolve(new StreamReader(request, response))
    )
    request.on('error', reject)
    request.end()
  })
}
