// The WebSocket over which a follower asks the leader for the newest index: a question is an empty message, and its answer the index.
import type { Duplex } from 'node:stream'

/** An empty text message. A client masks its messages; the mask of no bytes has no effect. */
const QUESTION = Buffer.of(0x81, 0x80, 0, 0, 0, 0)
/** First byte of a text message in one frame. */
const TEXT = 0x81
const HEADER_BYTES = 2
const INDEX = /^\d{1,16}$/

/** The headers of the request that opens it. @param key 16 random bytes in base64 */
export const channelHeaders = (key: string): readonly string[] => [
  'Connection',
  'Upgrade',
  'Upgrade',
  'websocket',
  'Sec-WebSocket-Version',
  '13',
  'Sec-WebSocket-Key',
  key
]

export const readIndexIn = (text: string): number | undefined => (INDEX.test(text) ? Number(text) : undefined)

export class IndexChannel {
  #received: Buffer
  #answer: ((index: number | undefined) => void) | undefined

  constructor(
    readonly address: string,
    private readonly socket: Duplex,
    head: Buffer
  ) {
    this.#received = head
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => {})
    socket.once('close', () => this.#settle(undefined))
  }

  get isOpen(): boolean {
    return !this.socket.destroyed
  }

  /** Resolves with the index, or with undefined when the channel closes first. One call at a time. */
  ask(): Promise<number | undefined> {
    return new Promise(resolve => {
      this.#answer = resolve
      if (this.isOpen) this.socket.write(QUESTION)
      else this.#settle(undefined)
    })
  }

  close(): void {
    this.socket.destroy()
  }

  /** Closes at any other frame than an answer, such as that by which the leader closes. */
  #read(chunk: Buffer): void {
    const bytes = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = bytes
    const [kind, length = 0] = bytes
    if (kind !== TEXT) return this.close()
    if (bytes.length < HEADER_BYTES + length) return
    const index = readIndexIn(bytes.toString('latin1', HEADER_BYTES, HEADER_BYTES + length))
    this.#received = bytes.subarray(HEADER_BYTES + length)
    if (index === undefined) this.close()
    else this.#settle(index)
  }

  #settle(index: number | undefined): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(index)
  }
}
