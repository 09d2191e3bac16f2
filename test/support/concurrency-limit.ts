// Tasks of which only so many run at once.

/** Runs a task in its turn, and returns its result. */
type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>

/** Runs at most `count` tasks concurrently, in the order of the calls. */
export const limitConcurrency = (count: number): ConcurrencyLimit => {
  const waiting: (() => void)[] = []
  let free = count
  return async task => {
    if (free > 0) free--
    else await new Promise<void>(begin => waiting.push(begin))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
