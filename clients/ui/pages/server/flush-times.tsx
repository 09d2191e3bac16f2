// How long flushes of the log take: a chart of what came between one look at the server's measures and the next.
import { useEffect, useRef, useState } from 'preact/hooks'
import { countIn, histogramOf, quantile, since, type Histogram } from './histogram.js'
import { FlushChart, type Point } from './flush-chart.js'
import { Section } from './section.js'
import type { Measure } from './prometheus.js'
import { Facts } from './facts.js'
import { countText, secondsText } from './words.js'

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
