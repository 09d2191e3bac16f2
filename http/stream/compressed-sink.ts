// The body of a response, compressed; every piece is flushed, so that no message waits for the next one.
import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Coding } from '../wire/compression.js'
import { onceClosed, watchReader, type Sink, type SinkListener } from './sink.js'

const { Z_SYNC_FLUSH, ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_e_flush } = zlib.constants
/** The fastest level, which looks back 2^17 bytes: the usual one takes four times the memory for each stream. */
const ZSTD_PARAMS = { [ZSTD_c_compressionLevel]: 1, [ZSTD_c_windowLog]: 17 }

const compressorOf = (coding: Coding): Transform =>
  coding === 'gzip'
    ? zlib.createGzip({ flush: Z_SYNC_FLUSH })
    : zlib.createZstdCompress({ flush: ZSTD_e_flush, params: ZSTD_PARAMS })

/** Its compressor takes some 300 kB of memory with gzip, and 200 kB with zstd. */
export class CompressedSink implements Sink {
  readonly #response: ServerResponse
  readonly #listener: SinkListener
  readonly #compressor: Transform
  #busy = false
  /** Compressed pieces that the socket has not taken yet, and one for a compression that is not done. */
  #underWay = 0

  /** @param stuckMs the connection is broken off when the reader takes nothing for so long */
  constructor(response: ServerResponse, coding: Coding, stuckMs: number, listener: SinkListener) {
    this.#response = response
    this.#listener = listener
    this.#compressor = compressorOf(coding)
    this.#compressor.on('data', (piece: Buffer) => {
      this.#underWay++
      response.write(piece, () => this.#done())
    })
    this.#compressor.once('end', () => response.end())
    watchReader(response, stuckMs, () => this.#busy || response.writableEnded)
    onceClosed(response, () => {
      this.#compressor.destroy()
      listener.onClosed()
    })
  }

  get isBusy(): boolean {
    return this.#busy
  }

  write(bytes: Buffer): void {
    this.#busy = true
    this.#underWay++
    this.#compressor.write(bytes, () => this.#done())
  }

  end(bytes: Buffer): void {
    this.#compressor.end(bytes)
  }

  destroy(): void {
    this.#response.destroy()
  }

  #done(): void {
    if (--this.#underWay > 0) return
    this.#busy = false
    this.#listener.onIdle()
  }
}
