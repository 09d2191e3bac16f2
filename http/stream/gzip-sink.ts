// The body of a response, compressed; every piece is flushed, so that no message waits for the next one.
import type { ServerResponse } from 'node:http'
import { constants, createGzip, type Gzip } from 'node:zlib'
import { onceClosed, watchReader, type Sink, type SinkListener } from './sink.js'

/** Costs some 100 kB of memory a stream. */
export class GzipSink implements Sink {
  readonly #response: ServerResponse
  readonly #listener: SinkListener
  readonly #gzip: Gzip = createGzip()
  #busy = false
  /** Compressed pieces that the socket has not taken yet, and one for a compression that is not done. */
  #underWay = 0

  constructor(response: ServerResponse, stuckMs: number, listener: SinkListener) {
    this.#response = response
    this.#listener = listener
    this.#gzip.on('data', (piece: Buffer) => {
      this.#underWay++
      response.write(piece, () => this.#done())
    })
    this.#gzip.once('end', () => response.end())
    watchReader(response, stuckMs, () => this.#busy || response.writableEnded)
    onceClosed(response, () => {
      this.#gzip.destroy()
      listener.onClosed()
    })
  }

  get isBusy(): boolean {
    return this.#busy
  }

  write(bytes: Buffer): void {
    this.#busy = true
    this.#underWay++
    this.#gzip.write(bytes)
    this.#gzip.flush(constants.Z_SYNC_FLUSH, () => this.#done())
  }

  end(bytes: Buffer): void {
    this.#gzip.end(bytes)
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
