// Messages of a stream in batches: as many as come between two frames of the screen are shown at once.
import type { EventMessage, EventStream } from '../../../client/events.js'

/** Takes messages until the stream ends. @param show gets all that came since it was called last */
export const inBatches = async (
  stream: EventStream,
  show: (messages: readonly EventMessage[]) => void
): Promise<void> => {
  let waiting: EventMessage[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    show(batch)
  }
  for await (const message of stream) {
    // A page that is not seen has no frames; it is shown what came when it is seen again.
    if (waiting.length === 0) requestAnimationFrame(flush)
    waiting.push(message)
  }
}
