import type { ServerResponse } from 'node:http'
import { Delivery } from './delivery.js'
import { onceClosed, type Sink, type SinkListener } from './sink.js'

/** Flushes a slice immediately. Node would wait for the end of the tick, which would hide the cost from `FanOut`. */
const writeNow = (response: ServerResponse, slice: Buffer, taken: () => void): void => {
  const { socket } = response
  socket?.cork()
  response.write(slice, taken)
  socket?.uncork()
}

/** Creates the sink of an uncompressed response body. @param stuckMs timeout of a reader that receives nothing */
export const responseSink = (response: ServerResponse, stuckMs: number, listener: SinkListener): Sink => {
  const taken = (): void => delivery.taken()
  const delivery = new Delivery(
    {
      write: slice => writeNow(response, slice, taken),
      end: slice => void response.end(slice),
      destroy: () => void response.destroy()
    },
    stuckMs,
    listener
  )
  onceClosed(response, () => delivery.close())
  return delivery
}

/** Maximum bytes per write. */
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
  const sink = responseSink(response, stuckMs, {
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
