// The chart of the flush times of the log, from the differences of successive metrics.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Section } from '../../design/section.js'
import type { Measure } from './measures.js'
import { Facts } from '../../design/facts.js'
import { countText, secondsText } from './formatters.js'

/** The flushes between two readings. */
interface Point {
  /** Epoch ms of the later reading. */
  readonly at: number
  readonly flushes: number
  /** In seconds; undefined without flushes. */
  readonly half: number | undefined
  readonly most: number | undefined
}

interface Props {
  readonly points: readonly Point[]
  readonly most: number
}

const WIDTH = 600
const HEIGHT = 120
const LEFT = 72
const BOTTOM = 22
/** The height of the label of the highest line. */
const TOP = 14

/** Rounds up to 1, 2 or 5 times a power of ten. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find(step => step * power >= value) ?? 10) * power
}

/** Draws a line for each run of defined points; a single point is a dot. */
const pathOf = (places: readonly (readonly [number, number] | undefined)[]): string =>
  places
    .map((place, at) => {
      if (!place) return ''
      const [x, y] = place
      return `${places[at - 1] ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${places[at - 1] ? '' : 'h0.1'}`
    })
    .join('')

const FlushChart = ({ points, most }: Props) => {
  const top = roundUp(Math.max(0.001, ...points.map(point => point.most ?? 0)))
  const placeOf = (at: number, value: number | undefined) =>
    value === undefined
      ? undefined
      : ([
          LEFT + ((WIDTH - LEFT - 4) * (most - points.length + at)) / (most - 1),
          (HEIGHT - BOTTOM) * (1 - value / top) + TOP
        ] as const)
  const newest = points.findLast(({ half }) => half !== undefined)
  const text = newest
    ? `Newest: half within ${secondsText(newest.half ?? 0)}, 99 of 100 within ${secondsText(newest.most ?? 0)}`
    : 'No flush was seen yet.'
  return (
    <figure class="flushes">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + TOP}`} role="img" aria-label={`Time of flushes. ${text}`}>
        {[0, 0.5, 1].map(share => {
          const y = (HEIGHT - BOTTOM) * (1 - share) + TOP
          return (
            <g key={share}>
              <path class="grid" d={`M${LEFT} ${y}H${WIDTH}`} />
              <text x={LEFT - 6} y={y + 4} text-anchor="end">
                {secondsText(top * share)}
              </text>
            </g>
          )
        })}
        <path class="most" d={pathOf(points.map((point, at) => placeOf(at, point.most)))} />
        <path class="half" d={pathOf(points.map((point, at) => placeOf(at, point.half)))} />
        <text x={WIDTH} y={HEIGHT + TOP - 4} text-anchor="end">
          now
        </text>
      </svg>
      <figcaption>
        <span class="half">Half of the flushes</span> <span class="most">99 of 100</span> {text}
      </figcaption>
    </figure>
  )
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
