// Relative costs of work, measured within one run, so that a slow machine affects both sides, in processor time, so that a busy one does not.

/** Maximum number of rounds. The fastest of many runs is an uninterrupted one. */
const ROUNDS = 30
/** The size ratio of measurements of proportional growth. */
const MORE = 16

/** Processor time of a measurement, in µs: where the system counts it in ticks, it has some of them. */
export const LEAST_PROCESSOR_TIME = 5000

/** Returns the processor time of this thread for one run, in µs. */
const timeOf = (run: () => void): number => {
  const begun = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    run()
    const { user, system } = process.threadCpuUsage(begun)
    if (user + system >= LEAST_PROCESSOR_TIME) return (user + system) / runs
  }
}

/**
 * Returns how many times as much `run` costs as `reference`, in alternation.
 * @param enough a ratio at which to stop
 */
export function costRatio(run: () => void, reference: () => void, enough: number): number {
  let [least, leastOfReference] = [Infinity, Infinity]
  for (let left = ROUNDS; left > 0 && !(least / leastOfReference <= enough); left--) {
    leastOfReference = Math.min(leastOfReference, timeOf(reference))
    least = Math.min(least, timeOf(run))
  }
  return least / leastOfReference
}

/**
 * Returns the cost per item at a large size relative to a small one: 1 for linear growth, 16 for quadratic growth.
 * @param work runs for a size
 */
export function growth(work: (size: number) => void, size: number, enough: number): number {
  const ratio = costRatio(
    () => work(MORE * size),
    () => work(size),
    enough * MORE
  )
  return ratio / MORE
}
