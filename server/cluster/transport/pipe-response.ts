// The answer of another server, handed on to the client as it is: status, headers, body and trailers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endToEndHeaders } from './end-to-end-headers.js'

/**
 * Writes an answer as its server sends it, no faster than the client takes it. An answer that breaks off, breaks off.
 * @param closing aborts when this server begins to end: the connection of the client ends with the answer then
 */
export const pipeResponse = async (
  answer: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal
): Promise<void> => {
  response.writeHead(answer.statusCode ?? 0, [
    ...endToEndHeaders(answer),
    ...(closing.aborted ? ['Connection', 'close'] : [])
  ])
  // Who reads as it comes wants the headers before there is a body.
  if (answer.headers['content-length'] === undefined) response.flushHeaders()
  answer.once('end', () => {
    const trailers: [string, string][] = []
    for (let i = 0; i + 1 < answer.rawTrailers.length; i += 2)
      trailers.push([answer.rawTrailers[i] ?? '', answer.rawTrailers[i + 1] ?? ''])
    if (trailers.length > 0) response.addTrailers(trailers)
  })
  try {
    await pipeline(answer, response)
  } catch {
    // Either side has gone, and the other one was told by the end of its connection.
  }
}

/** Breaks off what has no end when this server begins to end. */
export const closeOnShutdown = (closing: AbortSignal, stream: IncomingMessage | Duplex): void => {
  const breakOff = (): void => void stream.destroy()
  closing.addEventListener('abort', breakOff)
  stream.once('close', () => closing.removeEventListener('abort', breakOff))
}
