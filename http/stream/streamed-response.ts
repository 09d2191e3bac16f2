// The answer whose body is a stream.
import type { RouteResponse } from '../wire/response.js'
import { codingFor } from '../wire/compression.js'
import type { RequestContext } from '../wire/request-context.js'
import type { GrantedStream } from './subscription-requests.js'
import type { EventStreams } from './event-streams.js'
import type { StreamOpening } from './opened-stream.js'
import { responseSink } from './response-sink.js'
import type { OpenSink } from './sink.js'
import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Coding } from '../wire/compression.js'
import { Delivery, type Channel } from './delivery.js'
import { onceClosed, type Sink, type SinkListener } from './sink.js'

/** The body of a response, compressed; every piece is flushed, so that no message waits for the next one. */
const { Z_SYNC_FLUSH, ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_e_flush } = zlib.constants
/** The fastest level, which looks back 2^17 bytes: the usual one takes four times the memory for each stream. */
const ZSTD_PARAMS = { [ZSTD_c_compressionLevel]: 1, [ZSTD_c_windowLog]: 17 }

const compressorOf = (coding: Coding): Transform =>
  coding === 'gzip'
    ? zlib.createGzip({ flush: Z_SYNC_FLUSH })
    : zlib.createZstdCompress({ flush: ZSTD_e_flush, params: ZSTD_PARAMS })

/**
 * Compresses what it is given for a response. Its compressor takes some 300 kB of memory with gzip, and 200 kB with zstd, from the
 * first piece on.
 */
class CompressedChannel implements Channel {
  readonly #taken: () => void
  #made: Transform | undefined
  /** Compressed pieces that the socket has not taken yet, and one for a compression that is not done. */
  #underWay = 0

  /** @param allTaken called when everything that was written was taken */
  constructor(
    private readonly response: ServerResponse,
    private readonly coding: Coding,
    allTaken: () => void
  ) {
    this.#taken = () => {
      if (--this.#underWay === 0) allTaken()
    }
  }

  write(slice: Buffer): void {
    this.#underWay++
    this.#compressor.write(slice, this.#taken)
  }

  end(slice: Buffer): void {
    this.#compressor.end(slice)
  }

  destroy(): void {
    this.response.destroy()
  }

  /** Nobody takes any more. */
  release(): void {
    this.#made?.destroy()
  }

  get #compressor(): Transform {
    if (this.#made) return this.#made
    const made = compressorOf(this.coding)
    made.on('data', (piece: Buffer) => {
      this.#underWay++
      this.response.write(piece, this.#taken)
    })
    made.once('end', () => this.response.end())
    this.#made = made
    return made
  }
}

/**
 * The body of a response, compressed.
 * @param stuckMs the stream is ended when its reader takes nothing for so long
 */
const compressedSink = (
  response: ServerResponse,
  coding: Coding,
  stuckMs: number,
  listener: SinkListener
): Sink => {
  const channel = new CompressedChannel(response, coding, () => delivery.taken())
  const delivery = new Delivery(channel, stuckMs, listener)
  onceClosed(response, () => {
    channel.release()
    delivery.close()
  })
  return delivery
}

/** A line for each JSON object. */
export const LINES_TYPE = 'application/x-ndjson'

/** Says that a restore has set the cursor back, which a stream reads by. */
const clampedHeader = ({ cursor }: StreamOpening): readonly string[] =>
  cursor?.ClampedFrom === undefined ? [] : ['X-Service-Cursor-Clamped-From', String(cursor.ClampedFrom)]

/** Opens the stream when the headers are written. @param type of its lines */
export const streamedResponse = (
  request: RequestContext,
  { opening, authority, isCut }: GrantedStream,
  streams: EventStreams,
  type: string
): RouteResponse => {
  const coding = codingFor(request.header('accept-encoding'))
  const stuckMs = request.settings.stream.write_timeout
  return {
    status: 200,
    body: '',
    // A body that `pretty` must not touch, so its type stands among the headers.
    type: '',
    headers: [
      'Content-Type',
      type,
      'Cache-Control',
      'no-cache',
      // Or nginx would keep what comes until it fills a buffer.
      'X-Accel-Buffering',
      'no',
      'Connection',
      'close',
      ...(coding ? ['Content-Encoding', coding] : []),
      ...clampedHeader(opening),
      ...(isCut ? ['X-Service-Oldest-Index', String(opening.start)] : [])
    ],
    stream: response => {
      const openSink: OpenSink = listener =>
        coding
          ? compressedSink(response, coding, stuckMs, listener)
          : responseSink(response, stuckMs, listener)
      streams.open(opening, authority, openSink)
    }
  }
}
