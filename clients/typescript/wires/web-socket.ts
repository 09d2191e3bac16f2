// Events over a WebSocket. The first message carries the token, because pages cannot send headers.
import type { Connection } from '../connection.js'
import { Unreachable } from '../failures.js'
import type { StreamLine, Subscription, Wire } from '../stream-line.js'
import { SilenceWatch } from './silence.js'

export type WebSocketClass = new (
  url: string,
  protocols: string[]
) => Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

/** Maximum of buffered characters. A WebSocket has no backpressure, so it is closed beyond this and reopened later. */
const MOST_WAITING = 8 * 1024 * 1024
const ID = 'events'

export class WebSocketLines implements Wire {
  readonly #class: WebSocketClass

  /** @param silence in ms @throws TypeError without WebSocket support, as on Node before 22, or for a Unix socket */
  constructor(
    private readonly connection: Connection,
    private readonly silence: number,
    provided: WebSocketClass | undefined
  ) {
    if (connection.isAtSocket)
      throw new TypeError('a WebSocket cannot reach a unix:// address; leave `wire` out')
    const found: WebSocketClass | undefined = provided ?? globalThis.WebSocket
    if (found === undefined)
      throw new TypeError('there is no WebSocket here: give one as `webSocket`, or leave `wire` out')
    this.#class = found
  }

  async *lines(subscription: Subscription, signal: AbortSignal): AsyncGenerator<StreamLine> {
    const { address, token, parse } = this.connection
    const watch = new SilenceWatch(address, this.silence, signal)
    const url = this.connection.url('/v1/event/stream')
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new this.#class(url.href, ['annals.v1'])
    const inbox = new Inbox(() => socket.close(), subscription.Snapshot === true)
    socket.addEventListener('open', () => {
      if (token !== undefined) socket.send(JSON.stringify({ Token: token }))
      socket.send(JSON.stringify({ Subscribe: { ID, ...subscription } }))
    })
    socket.addEventListener('message', ({ data }) => {
      watch.expect()
      inbox.put(String(data))
    })
    socket.addEventListener('error', () => inbox.end(new Unreachable(address, 'its WebSocket failed')))
    socket.addEventListener('close', () => inbox.end())
    watch.signal.addEventListener('abort', () => inbox.end(watch.signal.reason))
    try {
      watch.expect()
      for (let text = await inbox.take(); text !== undefined; text = await inbox.take()) {
        const line: StreamLine = parse(text)
        yield line
      }
    } finally {
      watch.end()
      socket.close()
    }
  }
}

/** A buffer of received messages. */
class Inbox {
  #texts: string[] = []
  #taken = 0
  #size = 0
  #failure: unknown
  #hasEnded = false
  #wake: () => void = () => {}

  /** @param close called when full @param isUnbounded until the end of a snapshot, which cannot be resumed */
  constructor(
    private readonly close: () => void,
    private isUnbounded: boolean
  ) {}

  put(text: string): void {
    if (this.#hasEnded) return
    this.#texts.push(text)
    this.#size += text.length
    if (this.isUnbounded) this.isUnbounded = !text.includes('"Snapshot":"end"')
    else if (this.#size > MOST_WAITING) {
      this.end()
      this.close()
    }
    this.#wake()
  }

  /** Buffered messages remain readable. */
  end(failure?: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#failure = failure
    this.#wake()
  }

  /** Returns undefined at the end. @throws the failure passed to `end` */
  async take(): Promise<string | undefined> {
    if (this.#taken === this.#texts.length) {
      this.#texts = []
      this.#taken = 0
      if (!this.#hasEnded) await new Promise<void>(resolve => void (this.#wake = resolve))
    }
    const text = this.#texts[this.#taken]
    if (text === undefined && this.#failure !== undefined) throw this.#failure
    if (text !== undefined) this.#taken++
    this.#size -= text?.length ?? 0
    return text
  }
}
