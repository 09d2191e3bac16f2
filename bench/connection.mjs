// A persistent HTTP/1.1 connection that parses only the status and the end of each response.
import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = Buffer.from('\r\n')

export class Connection {
  /** Size of the last response, head included. */
  bytes = 0
  #socket
  /** Bytes of an incomplete response that must be parsed again; otherwise undefined. */
  #held
  /** Remaining bytes of a body of known length. */
  #left = 0
  #answered
  #failed

  static open(port) {
    const connection = new Connection()
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(65_536)
      const callback = size => {
        connection.#read(buffer.subarray(0, size))
        return true
      }
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
      connection.#socket = socket
      connection.#failed = reject
      socket.once('connect', () => resolve(connection))
      socket.on('error', error => connection.#failed(error))
      socket.on('close', () => connection.#failed(new Error('the server closed the connection')))
    })
  }

  /** Sends the requests of `take()` one after another until `isOver(now)`, and adds each duration in ms to `latencies`. */
  run(take, isOver, latencies) {
    return new Promise((resolve, reject) => {
      this.#failed = reject
      let sent = performance.now()
      this.#answered = () => {
        const now = performance.now()
        latencies.push(now - sent)
        if (isOver(now)) return resolve()
        sent = now
        this.#socket.write(take())
      }
      if (isOver(sent)) return resolve()
      this.#socket.write(take())
    })
  }

  close() {
    this.#failed = () => undefined
    this.#socket.destroy()
  }

  #read(chunk) {
    if (this.#left > 0) {
      this.bytes += chunk.length
      this.#left -= chunk.length
      if (this.#left === 0) this.#answered()
    } else if (this.#held === undefined) this.#readFromStart(chunk)
    else this.#readFromStart(Buffer.concat([this.#held, chunk]))
  }

  /** @param data begins with the first byte of a response */
  #readFromStart(data) {
    this.bytes = data.length
    this.#held = undefined
    const end = data.indexOf(HEAD_END)
    const head = end < 0 ? '' : data.latin1Slice(0, end + 2)
    const body = end + HEAD_END.length
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    if (end >= 0 && !head.startsWith('200', 9)) this.#failed(new Error(`an answer with ${head}`))
    else if (length !== null) {
      this.#left = Number(length[1]) - (data.length - body)
      if (this.#left === 0) this.#answered()
    } else if (end >= 0 && isWhole(data, body)) this.#answered()
    // The socket reuses its buffer for the next read.
    else this.#held = Buffer.from(data)
  }
}

/** Returns true if the chunked body from `at` ends within `data`. A response without a length counts as chunked. */
function isWhole(data, at) {
  for (;;) {
    const line = data.indexOf(LINE_END, at)
    if (line < 0) return false
    const size = Number.parseInt(data.latin1Slice(at, line), 16)
    at = line + LINE_END.length + size + LINE_END.length
    if (at > data.length) return false
    if (size === 0) return true
  }
}
