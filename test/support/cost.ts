// What work costs beside other work of the same run: a machine that is slow or busy makes both take longer.

/** Most rounds. The quickest of many runs is one that nothing interrupted. */
const ROUNDS = 30
/** By how much more there is to do where work must grow in proportion. */
const MORE = 16

const timeOf = (run: () => void): number => {
  const begun = performance.now()
  run()
  return performance.now() - begun
}

/**
 * How many times as much `run` costs as `reference`, which run in turn.
 * @param enough what proves the point: at or below it there is no further round
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
 * What each part costs when there are many, in what it costs when there are few: 1 where the cost is in proportion to the
 * size, 16 where it is to its square.
 * @param work does it for a size
 */
export function growth(work: (size: number) => void, size: number, enough: number): number {
  const ratio = costRatio(
    () => work(MORE * size),
    () => work(size),
    enough * MORE
  )
  return ratio / MORE
}
