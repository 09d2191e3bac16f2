// The answer whose body is a stream.
import type { RouteResponse } from '../wire/response.js'
import { codingFor } from '../wire/compression.js'
import type { RequestContext } from '../wire/request-context.js'
import type { GrantedStream } from './subscription-requests.js'
import { compressedSink } from './compressed-sink.js'
import type { EventStreams } from './event-streams.js'
import type { StreamOpening } from './opened-stream.js'
import { responseSink } from './response-sink.js'
import type { OpenSink } from './sink.js'

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
