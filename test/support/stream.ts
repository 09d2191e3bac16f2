// A reader of the event stream, whose lines are taken one at a time.
import {
  request as open,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage
} from 'node:http'
import type { Cause, Event } from '../../events/envelope.js'
import { until } from './wait.js'

/** The origin of a commit. */
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

/** A connection whose response head has arrived. */
export class StreamReader {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #chunks: Buffer[] = []
  #rest = ''
  #lines: string[] = []
  #all: string[] = []
  #state: 'open' | 'ended' | 'broken' = 'open'

  /** @param take decodes the received bytes; default: as text */
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

  /** The received text. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** All complete lines. */
  get lines(): readonly string[] {
    return this.#all
  }

  /** The incomplete last line. */
  get rest(): string {
    return this.#rest
  }

  /** `ended` after a complete body, `broken` after an aborted connection. */
  get state(): 'open' | 'ended' | 'broken' {
    return this.#state
  }

  /** Returns the next line, parsed. @throws Error after a timeout */
  next(): Promise<Line> {
    return this.#nextOf('a line of the stream', () => true)
  }

  /** Returns the next line that is not a heartbeat. */
  message(): Promise<Line> {
    return this.#nextOf('a message of the stream', ({ Index, Error, End }) => Boolean(Index || Error || End))
  }

  /** Returns the last line of a stream that the server ends, skipping messages. */
  last(): Promise<Line> {
    return this.#nextOf('the last line of the stream', ({ Error }) => Error !== undefined)
  }

  /** Returns the messages up to the one with this index. */
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

  /** Returns the next line of a kind. Other lines, such as heartbeats, do not prolong the wait. */
  #nextOf(what: string, isWanted: (line: Line) => boolean): Promise<Line> {
    return until(what, () => {
      for (let text = this.#lines.shift(); text !== undefined; text = this.#lines.shift()) {
        const line: Line = JSON.parse(text)
        if (isWanted(line)) return line
      }
      if (this.#state !== 'open') throw new Error(`the stream has ${this.#state}`)
      return undefined
    })
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
 * Opens a stream and resolves when its response head has arrived, whatever the status.
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
