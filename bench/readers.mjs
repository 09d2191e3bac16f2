// A helper that reads event streams with minimal overhead.
import { connect } from 'node:net'
import { serveJobs } from './helper.mjs'

const MARK = Buffer.from('\n{"Index":')
const streams = new Set()

/** One stream. Records the newest received index, and the number of gaps. */
class Stream {
  messages = 0
  bytes = 0
  newest = 0
  disordered = 0
  isOpen = true
  #rest = Buffer.alloc(0)
  #counts

  constructor({ port, token, query, counts, again }) {
    this.#counts = counts
    const buffer = Buffer.allocUnsafe(256 * 1024)
    const onread = { buffer, callback: size => this.#take(buffer.subarray(0, size)) }
    this.socket = connect({ port, host: '127.0.0.1', onread })
    this.socket.write(
      `GET /v1/event/stream?${query} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${token}\r\n\r\n`
    )
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isOpen = false
      if (streams.delete(this) && again) open({ port, token, query, counts, again })
    })
  }

  #take(chunk) {
    this.bytes += chunk.length
    if (!this.#counts) return
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk)
    let at = 0
    for (let next = all.indexOf(MARK, at); next >= 0; next = all.indexOf(MARK, at)) {
      const end = all.indexOf(44, next + MARK.length)
      if (end < 0) break
      const index = Number(all.latin1Slice(next + MARK.length, end))
      this.messages++
      if (this.newest > 0 && index !== this.newest + 1) this.disordered++
      this.newest = index
      at = end
    }
    this.#rest = all.subarray(at > 0 ? at : Math.max(0, all.length - MARK.length - 16))
  }
}

const open = options => streams.add(new Stream(options))

/**
 * Jobs: { open: number of streams, port, token, query, counts, again }: `counts` parses each message, `again` reopens ended streams.
 * { look }: the state of all of them. { wait: bytes, messages or newest that all must reach }. { close }.
 */
serveJobs(async ({ open: count = 0, close, wait, ...options }) => {
  for (let i = 0; i < count; i++) open(options)
  if (wait) {
    const [[name, least]] = Object.entries(wait)
    while ([...streams].some(stream => stream.isOpen && stream[name] < least))
      await new Promise(resolve => setTimeout(resolve, 1))
  }
  const all = [...streams]
  if (close)
    for (const stream of all) {
      streams.delete(stream)
      stream.socket.destroy()
    }
  const sum = name => all.reduce((total, stream) => total + stream[name], 0)
  return {
    open: all.filter(({ isOpen }) => isOpen).length,
    messages: sum('messages'),
    bytes: sum('bytes'),
    disordered: sum('disordered'),
    oldest: Math.min(...all.map(({ newest }) => newest))
  }
})
