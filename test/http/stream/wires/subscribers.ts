// A test client of `annals.v1`.
import { WebSocket } from 'ws'
import { SUBPROTOCOL } from '../../../../http/stream/wires/client-message.js'
import type { Line } from '../../../support/stream.js'
import type { Scope } from '../../../support/process.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

/** A line of a subscription, or a response to a message. */
interface SubscribedLine extends Line {
  readonly ID?: string
  readonly End?: string
  readonly OldestIndex?: number
  readonly ClampedFrom?: number
}

class SubscribedClient {
  /** All received messages. */
  readonly texts: string[] = []
  /** The close code and reason. */
  closed: { readonly code: number; readonly reason: string } | undefined
  #taken = 0

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.texts.push(data.toString()))
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }))
    socket.on('error', () => {})
  }

  say(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  subscribe(ID: string, fields: object = {}): void {
    this.say({ Subscribe: { ID, ...fields } })
  }

  /** Returns the next line. @throws Error after a timeout */
  async next(): Promise<SubscribedLine> {
    const text = await until('a message', () => {
      if (this.#taken === this.texts.length && this.closed) throw new Error('the connection is closed')
      return this.texts[this.#taken]
    })
    this.#taken++
    const line: SubscribedLine = JSON.parse(text)
    return line
  }

  /** Returns the next matching line, skipping others. */
  async find(isIt: (line: SubscribedLine) => boolean): Promise<SubscribedLine> {
    for (;;) {
      const line = await this.next()
      if (isIt(line)) return line
    }
  }

  /** Returns the next error line. */
  error(): Promise<SubscribedLine> {
    return this.find(line => line.Error !== undefined)
  }

  /** Messages of a subscription without its ID, as on other wires. */
  messagesOf(id: string): readonly string[] {
    const beginning = `{"ID":${JSON.stringify(id)},`
    return this.texts
      .filter(text => text.startsWith(`${beginning}"Index":`))
      .map(text => `{${text.slice(beginning.length)}`)
  }

  async end(): Promise<{ readonly code: number; readonly reason: string }> {
    return until('the end of the connection', () => this.closed)
  }
}

/** Opens a connection; default: with the management token. It ends with the test. */
export const connect = async (
  t: Scope,
  { port }: TestServer,
  { token = ROOT, isAnonymous = false, autoPong = true } = {}
): Promise<SubscribedClient> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/event/stream`, SUBPROTOCOL, {
    autoPong,
    headers: isAnonymous ? {} : { 'X-Service-Token': token }
  })
  t.teardown(() => socket.terminate())
  const client = new SubscribedClient(socket)
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return client
}
