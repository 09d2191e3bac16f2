// One kept HTTP/1.1 connection that reads of each answer only its status and where it ends.
import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = Buffer.from('\r\n')

export class Connection {
  /** Size of the last answer, head included. */
  bytes = 0
  #socket
  /** Bytes of an answer that is not complete, when they must be looked at again; else undefined. */
  #held
  /** Bytes that are still to come of a body of known length. */
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

  /** Sends what `take()` gives, one after another, until `isOver(now)`; adds each request's time in ms to `latencies`. */
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

  /** @param data begins with the first byte of an answer */
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
    // The socket's buffer is used again for the next read, hence the copy.
    else this.#held = Buffer.from(data)
  }
}

/** Whether a chunked body that begins at `at` ends within `data`. An answer without length is taken for chunked. */
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
