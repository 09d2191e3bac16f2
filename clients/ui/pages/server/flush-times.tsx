// How long flushes of the log take: a chart of what came between one look at the server's measures and the next.
import { useEffect, useRef, useState } from 'preact/hooks'
import { FlushChart, type Point } from './flush-chart.js'
import { Section } from './section.js'
import type { Measure } from './prometheus.js'
import { Facts } from './fact-list.js'
import { countText, secondsText } from './formatters.js'

/** A histogram that only grows, what was counted between two looks at it, and its quantiles. */
interface Bucket {
  /** Of the bucket before comes what is not above its bound. */
  readonly upTo: number
  /** How many were not above it. */
  readonly count: number
}

/** Buckets by their bounds, ascending; the last bound is infinite. */
type Histogram = readonly Bucket[]

/** @param name without `_bucket` */
const histogramOf = (measures: readonly Measure[], name: string): Histogram =>
  measures
    .filter(measure => measure.name === `${name}_bucket`)
    .map(({ labels, value }) => ({
      upTo: labels['le'] === '+Inf' ? Infinity : Number(labels['le']),
      count: value
    }))
    .toSorted((one, other) => one.upTo - other.upTo)

const countIn = (histogram: Histogram): number => histogram.at(-1)?.count ?? 0

/** What came after `before`; all where that has more, since the server began anew. */
const since = (before: Histogram, now: Histogram): Histogram =>
  countIn(before) > countIn(now)
    ? now
    : now.map(({ upTo, count }, at) => ({ upTo, count: count - (before[at]?.count ?? 0) }))

/** The value that a share of all is not above, as if those of a bucket were spread evenly over it; undefined where there are none. */
const quantile = (histogram: Histogram, share: number): number | undefined => {
  const rank = countIn(histogram) * share
  if (rank === 0) return undefined
  const at = histogram.findIndex(({ count }) => count >= rank)
  const { upTo, count } = histogram[at] ?? { upTo: Infinity, count: 0 }
  const { upTo: from, count: below } = histogram[at - 1] ?? { upTo: 0, count: 0 }
  return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / (count - below)
}

const NAME = 'annals_log_flush_seconds'
/** Looks that the chart shows. */
const MOST = 60

const timeOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : secondsText(seconds)

export const FlushTimes = ({ measures }: { readonly measures: readonly Measure[] }) => {
  const before = useRef<Histogram | undefined>(undefined)
  const [points, setPoints] = useState<readonly Point[]>([])
  const now = histogramOf(measures, NAME)
  useEffect(() => {
    if (before.current) {
      const recent = since(before.current, now)
      const point = {
        at: Date.now(),
        flushes: countIn(recent),
        half: quantile(recent, 0.5),
        most: quantile(recent, 0.99)
      }
      setPoints(shown => [...shown, point].slice(-MOST))
    }
    before.current = now
  }, [measures])
  return (
    <Section title="Time of a flush">
      <Facts
        facts={[
          ['Flushes since the start', countText(countIn(now))],
          ['Half of them took at most', timeOf(quantile(now, 0.5))],
          ['99 of 100 took at most', timeOf(quantile(now, 0.99))]
        ]}
      />
      <FlushChart points={points} most={MOST} />
    </Section>
  )
}
