import type { Connection, Query } from '../connection.js'
import { Unreachable } from '../failures.js'
import type { StreamLine, Subscription, Wire } from '../stream-line.js'
import { SilenceWatch } from './silence.js'

const queryOf = ({ Topics, Types, ...rest }: Subscription): Query => ({
  ...(Topics ? { topic: Topics } : {}),
  ...(Types ? { type: Types } : {}),
  ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name.toLowerCase(), value]))
})

export class HttpLines implements Wire {
  /** @param silence in ms */
  constructor(
    private readonly connection: Connection,
    private readonly silence: number
  ) {}

  async *lines(subscription: Subscription, signal: AbortSignal): AsyncGenerator<StreamLine> {
    const { address, parse } = this.connection
    const watch = new SilenceWatch(address, this.silence, signal)
    try {
      const query = queryOf(subscription)
      const { body } = await this.connection.request('GET', '/v1/event/stream', {
        query,
        signal: watch.signal
      })
      if (!body) return
      // As over a WebSocket, an empty line reports that the stream is open.
      yield {}
      const reader = body.getReader()
      const decoder = new TextDecoder()
      /** The pieces of an incomplete line. */
      let pieces: string[] = []
      for (;;) {
        watch.expect()
        const { done, value } = await reader.read()
        watch.heard()
        if (done) return
        const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n')
        pieces.push(first)
        for (const piece of others) {
          const line: StreamLine = parse(pieces.join(''))
          pieces = [piece]
          yield line
        }
      }
    } catch (error) {
      if (error instanceof TypeError || error instanceof DOMException)
        throw this.#broken(error, watch, signal)
      throw error
    } finally {
      watch.end()
    }
  }

  /** Converts an error of a truncated body. */
  #broken(error: unknown, watch: SilenceWatch, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    const { reason }: { readonly reason?: unknown } = watch.signal
    return reason instanceof Unreachable ? reason : new Unreachable(this.connection.address, error)
  }
}
