import type { Histogram } from 'prom-client'
import { Series, type Point } from './observations.js'

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
    private readonly allTimes: Pick<Histogram, 'observe'>
  ) {
    this.#times = new Series(REQUEST_SECONDS, { method, path })
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
    this.allTimes.observe(seconds)
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
