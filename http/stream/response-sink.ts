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
