// A stream as the body of a response.
import type { ServerResponse } from 'node:http'
import { Delivery } from './delivery.js'
import { onceClosed, type Sink, type SinkListener } from './sink.js'

/**
 * Writes a slice at once. Node would wait for the end of the step, so that whoever serves many readers in one step could not see
 * what that takes (see `FanOut`).
 */
const writeNow = (response: ServerResponse, slice: Buffer, taken: () => void): void => {
  const { socket } = response
  socket?.cork()
  response.write(slice, taken)
  socket?.uncork()
}

/**
 * The body of a response as it is.
 * @param stuckMs the stream is ended when its reader takes nothing for so long
 */
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
