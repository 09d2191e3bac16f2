// Events over a WebSocket with the subprotocol `annals.v1`, whose first message bears the token: pages cannot send headers.
import type { Connection } from '../connection.js'
import { Unreachable } from '../failures.js'
import type { StreamLine, Subscription, Wire } from '../stream-line.js'
import { SilenceWatch } from './silence.js'

/** What is used of a WebSocket. */
export type WebSocketClass = new (
  url: string,
  protocols: string[]
) => Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

/** Maximum of characters that wait for a reader. A WebSocket has no backpressure, so beyond this it is closed and reopened later. */
const MOST_WAITING = 8 * 1024 * 1024
const ID = 'events'

export class WebSocketLines implements Wire {
  readonly #class: WebSocketClass

  /**
   * @param silence longest time without a word from the server, in ms
   * @throws TypeError where there is no WebSocket, as on Node before 22, or the server is at a Unix socket
   */
  constructor(
    private readonly connection: Connection,
    private readonly silence: number,
    given: WebSocketClass | undefined
  ) {
    if (connection.isAtSocket)
      throw new TypeError('a WebSocket cannot reach a unix:// address; leave `wire` out')
    const found: WebSocketClass | undefined = given ?? globalThis.WebSocket
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

/** What has come and is not read yet. */
class Inbox {
  #texts: string[] = []
  #taken = 0
  #size = 0
  #failure: unknown
  #hasEnded = false
  #wake: () => void = () => {}

  /**
   * @param close ends the connection when too much waits
   * @param hasSnapshot a snapshot cannot be taken up again in its midst: what belongs to it waits, however much it is
   */
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

  /** What waits can still be taken. */
  end(failure?: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#failure = failure
    this.#wake()
  }

  /** The next text; undefined at the end. @throws what it ended with */
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
