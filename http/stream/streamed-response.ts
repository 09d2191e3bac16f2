import type { RouteResponse } from '../wire/response.js'
import { codingFor, type Coding } from '../wire/response-writer.js'
import type { RequestContext } from '../wire/request-context.js'
import type { GrantedStream } from './subscription-requests.js'
import type { EventStreams } from './event-streams.js'
import type { StreamOpening } from './opened-stream.js'
import { onceClosed, type Sink, type SinkListener } from './sink.js'
import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { Delivery, type Channel } from './delivery.js'

/** Flushes a slice immediately. Node would wait for the end of the tick, which would hide the cost from `FanOut`. */
const writeNow = (response: ServerResponse, slice: Buffer, taken: () => void): void => {
  const { socket } = response
  socket?.cork()
  response.write(slice, taken)
  socket?.uncork()
}

/** Creates the sink of a response body. @param stuckMs timeout of a reader that receives nothing */
const responseSink = (
  response: ServerResponse,
  coding: Coding | undefined,
  stuckMs: number,
  listener: SinkListener
): Sink => {
  const taken = (): void => delivery.taken()
  const compressed = coding && new CompressedChannel(response, coding, taken)
  const plain: Channel = {
    write: slice => writeNow(response, slice, taken),
    end: slice => void response.end(slice),
    destroy: () => void response.destroy()
  }
  const delivery = new Delivery(compressed ?? plain, stuckMs, listener)
  onceClosed(response, () => {
    compressed?.release()
    delivery.close()
  })
  return delivery
}

const PIECE = 64 * 1024

/**
 * Sends lines without newlines as they are received, and ends the response. Aborts the connection when the reader receives nothing for
 * `stuckMs`, the signal aborts, or the source fails. Never rejects.
 */
export const sendLines = async (
  response: ServerResponse,
  lines: AsyncIterable<string>,
  { stuckMs, signal }: { readonly stuckMs: number; readonly signal: AbortSignal }
): Promise<void> => {
  let isOver = false
  let wake = (): void => {}
  const sink = responseSink(response, undefined, stuckMs, {
    onIdle: () => wake(),
    onStuck: () => sink.destroy(),
    onClosed: () => {
      isOver = true
      wake()
    }
  })
  const end = (): void => sink.destroy()
  signal.addEventListener('abort', end, { once: true })
  let piece = ''
  try {
    for await (const line of lines) {
      piece += `${line}\n`
      if (piece.length < PIECE) continue
      if (sink.isBusy && !isOver) await new Promise<void>(resolve => (wake = resolve))
      if (isOver) return
      sink.write(Buffer.from(piece))
      piece = ''
    }
    if (!isOver) sink.end(Buffer.from(piece))
  } catch {
    sink.destroy()
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Every piece is flushed, so that no message waits for the next one. */
const { Z_SYNC_FLUSH, ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_e_flush } = zlib.constants
/** The fastest level with a window of 2^17 bytes; the default takes four times the memory for each stream. */
const ZSTD_PARAMS = { [ZSTD_c_compressionLevel]: 1, [ZSTD_c_windowLog]: 17 }

const compressorOf = (coding: Coding): Transform =>
  coding === 'gzip'
    ? zlib.createGzip({ flush: Z_SYNC_FLUSH })
    : zlib.createZstdCompress({ flush: ZSTD_e_flush, params: ZSTD_PARAMS })

/** Compresses a response. The compressor takes some 300 kB of memory with gzip, and 200 kB with zstd, from the first piece on. */
class CompressedChannel implements Channel {
  readonly #taken: () => void
  #stream: Transform | undefined
  /** Compressed pieces that the socket has not received, plus one for an unfinished compression. */
  #pending = 0

  /** @param allTaken called when everything written was received */
  constructor(
    private readonly response: ServerResponse,
    private readonly coding: Coding,
    allTaken: () => void
  ) {
    this.#taken = () => {
      if (--this.#pending === 0) allTaken()
    }
  }

  write(slice: Buffer): void {
    this.#pending++
    this.#compressor.write(slice, this.#taken)
  }

  end(slice: Buffer): void {
    this.#compressor.end(slice)
  }

  destroy(): void {
    this.response.destroy()
  }

  release(): void {
    this.#stream?.destroy()
  }

  get #compressor(): Transform {
    if (this.#stream) return this.#stream
    const stream = compressorOf(this.coding)
    stream.on('data', (piece: Buffer) => {
      this.#pending++
      this.response.write(piece, this.#taken)
    })
    stream.once('end', () => this.response.end())
    this.#stream = stream
    return stream
  }
}

export const LINES_TYPE = 'application/x-ndjson'

/** Headers of every stream, also against nginx's buffering. */
const UNBUFFERED = ['Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no', 'Connection', 'close']

const clampedHeader = ({ cursor }: StreamOpening): readonly string[] =>
  cursor?.ClampedFrom === undefined ? [] : ['X-Service-Cursor-Clamped-From', String(cursor.ClampedFrom)]

/** Creates a response that opens a stream after its headers are written. @param type of its lines */
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
    // The type is among the headers, so that `pretty` does not apply.
    type: '',
    headers: [
      'Content-Type',
      type,
      ...UNBUFFERED,
      ...(coding ? ['Content-Encoding', coding] : []),
      ...clampedHeader(opening),
      ...(isCut ? ['X-Service-Oldest-Index', String(opening.start)] : [])
    ],
    stream: response =>
      void streams.open(opening, authority, listener => responseSink(response, coding, stuckMs, listener))
  }
}
