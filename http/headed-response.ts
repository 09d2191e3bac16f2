/* oxlint-disable no-underscore-dangle -- the names are Node's */
// A response whose head is sent as one text. Node otherwise checks and sorts out every header by itself, though nearly all of
// them are known beforehand here (docs/decisions/0032).
import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, RawServerDefault, RouteGenericInterface } from 'fastify'
import { requestAnswered } from './connections.js'

/** A reply of the framework, with the response beneath it. */
export type HttpReply = FastifyReply<RouteGenericInterface, RawServerDefault, IncomingMessage, HeadedResponse>

const MS = 1000

let second = 0
let dateLine = ''

/** The header `Date`, made anew once a second. */
const dated = (): string => {
  const now = Math.floor(Date.now() / MS)
  if (now !== second) {
    second = now
    dateLine = `Date: ${new Date(now * MS).toUTCString()}\r\n`
  }
  return dateLine
}

/** Headers of a connection that goes on. @param ms for how long it may be silent; 0 for ever, which is not told */
const keptAlive = (ms: number): string =>
  `Connection: keep-alive\r\n${ms === 0 ? '' : `Keep-Alive: timeout=${Math.floor(ms / MS)}\r\n`}`

/** What a server makes for every request (`ServerResponse` among the options of `http.createServer`). */
export class HeadedResponse<
  Request extends IncomingMessage = IncomingMessage
> extends ServerResponse<Request> {
  /** Node's own: the head as it goes out. */
  declare _header: string | null
  /** Node's own: whether the head has gone out. */
  declare _headerSent: boolean
  /** Node's own: whether the connection ends with this response. */
  declare _last: boolean
  /** Node's own: false where a response cannot have a body. */
  declare _hasBody: boolean
  /** Node's own: says that nothing more will be written. */
  declare _finish: () => void
  /** Node's own: for how long, in ms, a connection may be silent between two requests. */
  declare _keepAliveTimeout: number

  /** Node calls this when the response has gone out. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket)
    requestAnswered(socket)
  }

  /** False where an answer has the head of a body and not the body, as to HEAD. */
  get takesBody(): boolean {
    return this._hasBody
  }

  /**
   * The whole head, with which the response must be sent then.
   * @param lines headers, each with its line's end, `Content-Length` among them; `Date` and those of the connection are added
   */
  head(status: number, lines: string, isLast: boolean): string {
    this.statusCode = status
    if (!this.shouldKeepAlive || isLast) this._last = true
    const connection = this._last ? 'Connection: close\r\n' : keptAlive(this._keepAliveTimeout)
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${lines}${dated()}${connection}\r\n`
  }

  /** Ends the response; a text goes out in one piece with the head. */
  send(head: string, body: string | Buffer, encoding: 'latin1' | 'utf8' = 'utf8'): void {
    this._header = head
    if (typeof body === 'string' && this._hasBody) this.#sendLast(head + body, encoding)
    else this.end(body, encoding)
  }

  /** Ends the response, which must take a body, with bytes that begin with the head. */
  sendWhole(head: string, bytes: Buffer): void {
    this._header = head
    this.#sendLast(bytes, 'utf8')
  }

  /**
   * What `end` does in many more steps, which are for a body in parts and for those who wait their turn. The event `finish`
   * tells when it went out, as ever; the property `writableFinished` does not.
   */
  #sendLast(data: string | Buffer, encoding: BufferEncoding): void {
    const { socket } = this
    this._headerSent = true
    if (!socket?.writable || this.writableLength > 0) {
      this.end(data, encoding)
      return
    }
    this.finished = true
    socket.write(data, encoding, error => {
      if (!error && !socket.errored) this.emit('finish')
    })
    this._finish()
  }
}
