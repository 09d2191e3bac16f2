// The chart of the flush times of the log, from the differences of successive metrics.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Chart, Facts, Section } from '../../design/index.js'
import type { Measure } from './live-page.js'
import { countText, secondsText } from './formatters.js'

/** The flushes between two readings. */
interface Point {
  /** In seconds; undefined without flushes. */
  readonly half: number | undefined
  readonly most: number | undefined
}

interface Bucket {
  /** The inclusive upper bound. */
  readonly upTo: number
  /** The number of values up to the bound. */
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

/** Returns the counts since `before`, or all of them after a restart of the server. */
const since = (before: Histogram, now: Histogram): Histogram =>
  countIn(before) > countIn(now)
    ? now
    : now.map(({ upTo, count }, at) => ({ upTo, count: count - (before[at]?.count ?? 0) }))

/** Returns a quantile by linear interpolation within its bucket; undefined for an empty histogram. */
const quantile = (histogram: Histogram, share: number): number | undefined => {
  const rank = countIn(histogram) * share
  if (rank === 0) return undefined
  const at = histogram.findIndex(({ count }) => count >= rank)
  const { upTo, count } = histogram[at] ?? { upTo: Infinity, count: 0 }
  const { upTo: from, count: below } = histogram[at - 1] ?? { upTo: 0, count: 0 }
  return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / (count - below)
}

const NAME = 'annals_log_flush_seconds'
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
      const point = { half: quantile(recent, 0.5), most: quantile(recent, 0.99) }
      setPoints(shown => [...shown, point].slice(-MOST))
    }
    before.current = now
  }, [measures])
  const newest = points.findLast(({ half }) => half !== undefined)
  return (
    <Section title="Time of a flush">
      <Facts
        facts={[
          ['Flushes since the start', countText(countIn(now))],
          ['Half of them took at most', timeOf(quantile(now, 0.5))],
          ['99 of 100 took at most', timeOf(quantile(now, 0.99))]
        ]}
      />
      <Chart
        label={`Time of flushes. ${newest ? `Newest: half within ${secondsText(newest.half ?? 0)}, 99 of 100 within ${secondsText(newest.most ?? 0)}` : 'No flush was seen yet.'}`}
        series={[
          { title: 'Half of the flushes', values: points.map(({ half }) => half) },
          { title: '99 of 100', values: points.map(({ most }) => most) }
        ]}
        format={secondsText}
        points={MOST}
        least={0.001}
      />
    </Section>
  )
}
