// Long computations in chunks, between which a worker receives messages and a page renders.

/** The maximum duration of a chunk in ms. */
const CHUNK_TIME = 8
const nextTask = (): Promise<void> =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    const onMessage = (): void => {
      port1.close()
      resolve()
    }
    port1.addEventListener('message', onMessage, { once: true })
    port1.start()
    port2.postMessage(undefined)
  })

/** Loops should yield after this many steps. */
export const CHUNK_LIMIT = 256

/** Returns a function that waits for the next task if it has not waited for the duration of a chunk. */
export const taskSplitter = (): (() => Promise<void>) => {
  let until = 0
  return async () => {
    if (performance.now() < until) return
    await nextTask()
    until = performance.now() + CHUNK_TIME
  }
}

/** Runs a generator in chunks. @param isCurrent cancels the work by returning false @returns false if the work was cancelled */
export async function inWorkerChunks(work: Iterable<unknown>, isCurrent: () => boolean): Promise<boolean> {
  const splitTask = taskSplitter()
  for (const _ of work) {
    await splitTask()
    if (!isCurrent()) return false
  }
  return isCurrent()
}
