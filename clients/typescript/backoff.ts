/** Maximum delay, in ms. */
const LONGEST = 10_000
/** First delay, in ms. Each further delay is twice as long. */
const SHORTEST = 100

/** Returns the delay before a retry in ms, randomized to spread the retries of many clients. */
export const backoff = (failures: number): number =>
  Math.min(LONGEST, SHORTEST * 2 ** Math.min(failures - 1, 10)) * (0.5 + Math.random() / 2)

/** @throws the reason of the signal if it aborts within `ms` */
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
