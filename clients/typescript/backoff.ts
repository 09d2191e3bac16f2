// Delays that a signal can abort.

/** Longest wait between two tries, in ms. */
const LONGEST = 10_000
/** Before the second try, in ms; each further wait is twice as long. */
const SHORTEST = 100

/** How long to wait before a try, in ms: a random part is left out, so that many clients do not come all at once. */
export const backoff = (failures: number): number =>
  Math.min(LONGEST, SHORTEST * 2 ** Math.min(failures - 1, 10)) * (0.5 + Math.random() / 2)

/** Resolves after `ms`. @throws the reason of the signal when it aborts before */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give)
      resolve()
    }, ms)
    if (signal?.aborted) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
