// What the server counts about itself, as `GET /v1/agent/metrics` shows it.
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  type RegistryContentType
} from 'prom-client'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { INTERVAL_MS, intervalText, Series, mergeSeries, type Point } from './observations.js'
import { REQUEST_SECONDS, REQUESTS, RouteMeter } from './route-meter.js'
import { runtimeGauges, type RuntimeGauge } from './runtime.js'

/** Seconds. Few, since each bound is a line of every scrape. */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
const COLLECTION_BUCKETS = [0.001, 0.01, 0.1, 1]

/** Gauges of the library whose names end as those of counters do; the gauges by type that it has beside them say the same. */
const MISNAMED = ['active_handles', 'active_requests', 'active_resources']

type Told = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

/** What one process of a server counts. */
export interface ProcessMetrics {
  /** As the library hands it on. */
  readonly registered: Told[]
  readonly counters: readonly Point[]
  readonly samples: readonly Point[]
}

/** How a measure is shown to Prometheus. */
interface Distribution {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: number[]
}

@scoped(Lifecycle.ContainerScoped)
export class Metrics {
  readonly #registry = new Registry()
  readonly #routes: RouteMeter[] = []
  readonly #counters: Series[] = []
  readonly #samples: Series[] = []
  #others: (() => Promise<readonly ProcessMetrics[]>) | undefined
  /** Of all routes together: with labels each observation costs twice as much, and each set of them a dozen lines. */
  readonly #requestSeconds = new Histogram({
    name: REQUEST_SECONDS,
    help: 'Time from the arrival of a request to its answer, in seconds',
    buckets: REQUEST_BUCKETS,
    registers: [this.#registry]
  })
  /** Called with the permission that somebody lacked, as in `key:write`. */
  readonly countDenial = this.counter(
    'annals_acl_denials_total',
    'Requests that were refused for want of a permission',
    'permission'
  )
  /** When the interval that is shown began, in epoch milliseconds. */
  #shownFrom: number
  #runningFrom: number

  constructor(private readonly clock: Clock) {
    this.#shownFrom = this.#runningFrom = clock.now()
    collectDefaultMetrics({
      register: this.#registry,
      prefix: 'annals_',
      gcDurationBuckets: COLLECTION_BUCKETS
    })
    for (const name of MISNAMED) this.#registry.removeSingleMetric(`annals_nodejs_${name}_total`)
    this.#countRoutes()
  }

  /** To be called every `INTERVAL_MS`: what was observed since the last time is shown from now on. */
  beginInterval(): void {
    this.#shownFrom = this.#runningFrom
    this.#runningFrom = this.clock.now()
    for (const one of [...this.#routes, ...this.#counters, ...this.#samples]) one.beginInterval()
  }

  /** A number that is read when the metrics are asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        this.set(await read())
      }
    })
    this.#registry.registerMetric(gauge)
  }

  /** As `gauge`, of each of several things. @param kind names the label that tells them apart */
  gauges(
    name: string,
    help: string,
    kind: string,
    read: () => readonly (readonly [thing: string, value: number])[]
  ): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [kind],
      registers: [],
      collect() {
        this.reset()
        for (const [resource, value] of read()) this.set({ [kind]: resource }, value)
      }
    })
    this.#registry.registerMetric(gauge)
  }

  /** What does not change while the server runs, as the labels of a gauge that is 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] }).set(labels, 1)
  }

  /** A number of things of several kinds that only grows; called with the kind of each. */
  counter(name: string, help: string, kind: string): (value: string) => void {
    const counter = new Counter({ name, help, labelNames: [kind], registers: [this.#registry] })
    const byValue = new Map<string, Series>()
    return value => {
      const labels = { [kind]: value }
      counter.inc(labels)
      let series = byValue.get(value)
      if (!series) {
        byValue.set(value, (series = new Series(name, labels)))
        this.#counters.push(series)
      }
      series.add(1)
    }
  }

  /** How a measure is distributed; called with each value. */
  distribution(name: string, help: string, { buckets }: Distribution): (value: number) => void {
    const histogram = new Histogram({ name, help, buckets, registers: [this.#registry] })
    const series = new Series(name)
    this.#samples.push(series)
    return value => {
      histogram.observe(value)
      series.add(value)
    }
  }

  /** The meter of a route. */
  route(method: string, path: string): RouteMeter {
    const meter = new RouteMeter(method, path, seconds => this.#requestSeconds.observe(seconds))
    this.#routes.push(meter)
    return meter
  }

  /** From now on what other processes of this server count is told with what this one does. */
  tellAlso(others: () => Promise<readonly ProcessMetrics[]>): void {
    this.#others = others
  }

  /** What this process counts. */
  async ofProcess(): Promise<ProcessMetrics> {
    return {
      registered: await this.#registry.getMetricsAsJSON(),
      counters: [
        ...this.#routes.flatMap(route => route.counters()),
        ...this.#counters.flatMap(one => one.toJson())
      ],
      samples: [
        ...this.#routes.flatMap(route => route.samples()),
        ...this.#samples.flatMap(one => one.toJson())
      ]
    }
  }

  /** In the text format of Prometheus. */
  async prometheus(): Promise<string> {
    if (!this.#others) return this.#registry.metrics()
    const [own, others] = await Promise.all([this.#registry.getMetricsAsJSON(), this.#others()])
    return this.#summed(own, others).metrics()
  }

  get prometheusType(): string {
    return this.#registry.contentType
  }

  /**
   * As go-metrics shows an interval: gauges as they are now; of counters and samples what was observed in the last interval
   * that has ended.
   * @param compat also with the gauges of the reference's runtime
   */
  async toJson(compat: boolean): Promise<object> {
    const own = await this.ofProcess()
    const others = (await this.#others?.()) ?? []
    const summed = this.#others && this.#summed(own.registered, others)
    const metrics = summed ? await summed.getMetricsAsJSON() : own.registered
    const gauges = metrics.filter(({ type }) => String(type) === 'gauge').flatMap(shownGauges)
    const all = [own, ...others]
    return {
      Timestamp: intervalText(this.#shownFrom),
      Gauges: compat ? [...gauges, ...runtimeGauges(measuredIn(metrics))] : gauges,
      Points: [],
      Counters: this.#others ? mergeSeries(all.flatMap(({ counters }) => counters)) : own.counters,
      Samples: this.#others ? mergeSeries(all.flatMap(({ samples }) => samples)) : own.samples
    }
  }

  /** What means nothing as a sum stays as it is here. */
  #summed(own: Told[], others: readonly ProcessMetrics[]): Registry<RegistryContentType> {
    const summed = AggregatorRegistry.aggregate([own, ...others.map(({ registered }) => registered)])
    for (const { name, aggregator } of own) {
      const metric = aggregator === 'omit' ? this.#registry.getSingleMetric(name) : undefined
      if (metric) summed.registerMetric(metric)
    }
    return summed
  }

  #countRoutes(): void {
    const routes = this.#routes
    const requests = new Counter({
      registers: [],
      name: REQUESTS,
      help: 'Requests that were answered',
      labelNames: ['method', 'path', 'status'],
      collect() {
        this.reset()
        for (const route of routes)
          for (const [status, count] of route.counts())
            this.inc({ method: route.method, path: route.path, status }, count)
      }
    })
    const seconds = new Counter({
      registers: [],
      name: 'annals_http_route_seconds_total',
      help: 'Time that the requests of a route took together, in seconds',
      labelNames: ['method', 'path'],
      collect() {
        this.reset()
        for (const route of routes)
          if (route.seconds > 0) this.inc({ method: route.method, path: route.path }, route.seconds)
      }
    })
    for (const counter of [requests, seconds]) this.#registry.registerMetric(counter)
  }
}

export { INTERVAL_MS }

const shownGauges = ({ name, values }: Told): RuntimeGauge[] =>
  values.map(({ value, labels }) => ({
    Name: name,
    Value: Number.isFinite(value) ? value : 0,
    Labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)]))
  }))

const measuredIn = (metrics: readonly Told[]) => {
  const sumOf = (name: string, part = name): number => {
    const values = metrics.find(metric => metric.name === name)?.values ?? []
    return values
      .filter(
        value => !('metricName' in value) || value.metricName === undefined || value.metricName === part
      )
      .reduce((sum, { value }) => sum + value, 0)
  }
  const collections = 'annals_nodejs_gc_duration_seconds'
  return {
    activeResources: sumOf('annals_nodejs_active_resources'),
    collections: sumOf(collections, `${collections}_count`),
    collectingSeconds: sumOf(collections, `${collections}_sum`)
  }
}
