// Lines that come from somewhere else than the log, sent as their reader takes them.
import type { ServerResponse } from 'node:http'
import { responseSink } from './response-sink.js'

/** Bytes of lines that are sent at once. */
const PIECE = 64 * 1024

/**
 * Sends lines, which bear no newline, and ends the response cleanly. Ends early, and breaks the connection off, when nobody takes them any
 * more, the signal aborts, or they cannot be had. Never rejects.
 * @param stuckMs the reader is left when it takes nothing for so long
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
