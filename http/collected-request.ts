// A request whose body is collected as the parser hands it over. The events of a stream, by which Node gives bodies
// otherwise, cost more than all else that a small body needs (docs/decisions/0030).
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { requestBegun } from './connections.js'

/** Why a body is not taken. */
export type BodyFault = 'too large' | 'gone'

interface Collection {
  readonly limit: number
  readonly take: (body: Buffer) => void
  readonly refuse: (fault: BodyFault) => void
  readonly pieces: Buffer[]
  size: number
}

/** What a server makes of every request (`IncomingMessage` among the options of `http.createServer`). */
export class CollectedRequest extends IncomingMessage {
  #collection: Collection | undefined

  constructor(socket: Socket) {
    super(socket)
    requestBegun(this)
  }

  /**
   * Collects the body. Calls one of the two functions once; none when the connection breaks off before the body's end. Must
   * be asked for at once, before the parser goes on. What is over the limit is not kept, but read to its end.
   * @param limit bytes that the body may have
   * @param take gets undefined for a request without a body
   */
  collect(limit: number, take: (body: Buffer | undefined) => void, refuse: (fault: BodyFault) => void): void {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers
    if (coding === undefined && (length === undefined || length === '0')) take(undefined)
    else if (Number(length) > limit) refuse('too large')
    // The parser is past the body of a request that asks for another protocol.
    else if (this.complete) refuse('gone')
    else {
      this.#collection = { limit, take, refuse, pieces: [], size: 0 }
      // Without this the server would take the body for one that nobody reads, and see to it by itself.
      this.read(0)
    }
  }

  /** Node's parser calls this with each piece of the body, and with null at its end. False would halt it. */
  override push(piece: Buffer | null): boolean {
    const collection = this.#collection
    if (!collection) return super.push(piece)
    const { limit, pieces } = collection
    if (piece) {
      if (collection.size > limit) return true
      collection.size += piece.length
      if (collection.size <= limit) pieces.push(piece)
      else {
        pieces.length = 0
        collection.refuse('too large')
      }
    } else if (collection.size <= limit) {
      const [first] = pieces
      // Every piece has memory of its own, so that a single one needs no copy.
      const body = first && pieces.length === 1 ? first : Buffer.concat(pieces)
      // A connection holds its last request for as long as no other comes.
      pieces.length = 0
      collection.take(body)
    }
    return true
  }
}
