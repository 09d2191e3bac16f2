// A histogram that only grows, what was counted between two looks at it, and its quantiles.
import type { Measure } from './prometheus.js'

interface Bucket {
  /** Of the bucket before comes what is not above its bound. */
  readonly upTo: number
  /** How many were not above it. */
  readonly count: number
}

/** Buckets by their bounds, ascending; the last bound is infinite. */
export type Histogram = readonly Bucket[]

/** @param name without `_bucket` */
export const histogramOf = (measures: readonly Measure[], name: string): Histogram =>
  measures
    .filter(measure => measure.name === `${name}_bucket`)
    .map(({ labels, value }) => ({
      upTo: labels['le'] === '+Inf' ? Infinity : Number(labels['le']),
      count: value
    }))
    .toSorted((one, other) => one.upTo - other.upTo)

export const countIn = (histogram: Histogram): number => histogram.at(-1)?.count ?? 0

/** What came after `before`; all where that has more, since the server began anew. */
export const since = (before: Histogram, now: Histogram): Histogram =>
  countIn(before) > countIn(now)
    ? now
    : now.map(({ upTo, count }, at) => ({ upTo, count: count - (before[at]?.count ?? 0) }))

/** The value that a share of all is not above, as if those of a bucket were spread evenly over it; undefined where there are none. */
export const quantile = (histogram: Histogram, share: number): number | undefined => {
  const rank = countIn(histogram) * share
  if (rank === 0) return undefined
  const at = histogram.findIndex(({ count }) => count >= rank)
  const { upTo, count } = histogram[at] ?? { upTo: Infinity, count: 0 }
  const { upTo: from, count: below } = histogram[at - 1] ?? { upTo: 0, count: 0 }
  return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / (count - below)
}
