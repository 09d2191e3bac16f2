// Long work in short pieces, between which the worker hears what the page asks.

/** How long a piece may take, in ms. */
const PIECE = 8
const breath = (): Promise<void> =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    const heard = (): void => {
      port1.close()
      resolve()
    }
    port1.addEventListener('message', heard, { once: true })
    port1.start()
    port2.postMessage(undefined)
  })

/** So many steps of a loop are short enough to be made in one go. */
export const CHUNK_LIMIT = 256

/**
 * Does work that pauses after each short step.
 * @param isWanted whether the work still matters
 * @returns whether it was done
 */
export async function inWorkerChunks(work: Iterable<unknown>, isWanted: () => boolean): Promise<boolean> {
  let until = performance.now() + PIECE
  for (const _ of work) {
    if (performance.now() < until) continue
    await breath()
    if (!isWanted()) return false
    until = performance.now() + PIECE
  }
  return isWanted()
}
