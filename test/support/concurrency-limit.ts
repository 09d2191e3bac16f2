// Tasks of which only so many run at once.

/** Runs a task when its turn comes, and answers as the task does. */
type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>

/** The turns of tasks: at most `count` of them run at once, in the order in which they were asked for. */
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
