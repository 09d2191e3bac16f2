// Sends lines from other sources than the log.
import type { ServerResponse } from 'node:http'
import { responseSink } from './response-sink.js'

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
