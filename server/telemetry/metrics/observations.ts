// Observations of an interval in the form of go-metrics, which clients of `/v1/agent/metrics` expect.
import type { Histogram } from 'prom-client'

export const INTERVAL_MS = 10_000

type Labels = Readonly<Record<string, string>>

/** The observations of one name and label set within an interval. */
export interface Point {
  readonly Name: string
  readonly Count: number
  readonly Rate: number
  readonly Sum: number
  readonly Min: number
  readonly Max: number
  readonly Mean: number
  readonly Stddev: number
  readonly Labels: Labels
}

class Observations {
  count = 0
  sum = 0
  squares = 0
  least = Infinity
  max = -Infinity

  /** Adds the observations of another process. */
  addPoint({ Count, Sum, Mean, Stddev, Min, Max }: Point): void {
    this.count += Count
    this.sum += Sum
    this.squares += Stddev * Stddev * (Count - 1) + Count * Mean * Mean
    this.least = Math.min(this.least, Min)
    this.max = Math.max(this.max, Max)
  }

  /** `Rate` is the sum per second; `Stddev` that of a sample. */
  toJson(name: string, labels: Labels): Point {
    const { count, sum, squares } = this
    const variance = count < 2 ? 0 : Math.max(count * squares - sum * sum, 0) / (count * (count - 1))
    return {
      Name: name,
      Count: count,
      Rate: sum / (INTERVAL_MS / 1000),
      Sum: sum,
      Min: this.least,
      Max: this.max,
      Mean: sum / count,
      Stddev: Math.sqrt(variance),
      Labels: labels
    }
  }
}

/** The observations of one name and label set, in the current and the previous interval. */
export class Series {
  #running = new Observations()
  #finished: Observations | undefined

  /** @param histogram shows the observations of all intervals */
  constructor(
    private readonly name: string,
    private readonly labels: Labels = {},
    private readonly histogram?: Pick<Histogram.Internal<string>, 'observe'>
  ) {}

  /** @param times how often the value was observed: once if a histogram shows it, and at least once otherwise */
  add(value: number, times = 1): void {
    const running = this.#running
    running.count += times
    running.sum += times * value
    running.squares += times * value * value
    if (value < running.least) running.least = value
    if (value > running.max) running.max = value
    this.histogram?.observe(value)
  }

  beginInterval(): void {
    this.#finished = this.#running
    this.#running = new Observations()
  }

  /** Returns the previous interval, or the first one before its end; nothing without observations. */
  toJson(): Point[] {
    const { count } = this.#shown
    return count === 0 ? [] : [this.#shown.toJson(this.name, this.labels)]
  }

  get #shown(): Observations {
    return this.#finished ?? this.#running
  }
}

/** Counts for one status. */
interface Answered {
  readonly series: Series
  count: number
  /** The part of `count` that the series contains. */
  inSeries: number
}

export const REQUESTS = 'annals_http_requests_total'
export const REQUEST_SECONDS = 'annals_http_request_seconds'

export class RouteMeter {
  readonly #byStatus = new Map<number, Answered>()
  readonly #times: Series
  /** Total time of all requests. */
  seconds = 0

  constructor(
    readonly method: string,
    readonly path: string,
    allTimes: Pick<Histogram.Internal<string>, 'observe'>
  ) {
    this.#times = new Series(REQUEST_SECONDS, { method, path }, allTimes)
  }

  observe(status: number, seconds: number): void {
    let answered = this.#byStatus.get(status)
    if (!answered) {
      const labels = { method: this.method, path: this.path, status: String(status) }
      this.#byStatus.set(status, (answered = { count: 0, inSeries: 0, series: new Series(REQUESTS, labels) }))
    }
    answered.count++
    this.seconds += seconds
    this.#times.add(seconds)
  }

  beginInterval(): void {
    this.#times.beginInterval()
    for (const series of this.#statusSeries()) series.beginInterval()
  }

  *counts(): Generator<readonly [status: number, count: number]> {
    for (const [status, { count }] of this.#byStatus) yield [status, count]
  }

  counters(): Point[] {
    return this.#statusSeries().flatMap(series => series.toJson())
  }

  #statusSeries(): Series[] {
    return Array.from(this.#byStatus.values(), answered => {
      const { series, count, inSeries } = answered
      if (count > inSeries) series.add(1, count - inSeries)
      answered.inSeries = count
      return series
    })
  }

  samples(): Point[] {
    return this.#times.toJson()
  }
}

/** Merges the observations of several processes. */
export const mergeSeries = (points: readonly Point[]): readonly Point[] => {
  const all = new Map<string, { readonly first: Point; readonly sum: Observations }>()
  for (const point of points) {
    const key = JSON.stringify([point.Name, point.Labels])
    const known = all.get(key) ?? { first: point, sum: new Observations() }
    all.set(key, known)
    known.sum.addPoint(point)
  }
  return Array.from(all.values(), ({ first, sum }) => sum.toJson(first.Name, first.Labels))
}

/** Formats the start of an interval like go-metrics: `2026-11-22 05:30:10 +0000 UTC`. @param at epoch milliseconds */
export const intervalText = (at: number): string =>
  `${new Date(Math.round(at / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
