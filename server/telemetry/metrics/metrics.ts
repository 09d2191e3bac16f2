// The metrics of the server for `GET /v1/agent/metrics`.
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  register as processRegistry,
  type RegistryContentType
} from 'prom-client'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import {
  INTERVAL_MS,
  intervalText,
  mergeSeries,
  type Point,
  REQUEST_SECONDS,
  REQUESTS,
  RouteMeter,
  Series
} from './observations.js'
import { runtimeGauges, type RuntimeGauge } from './runtime.js'

/** Seconds. Few, because each bound is a line of every scrape. */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
const COLLECTION_BUCKETS = [0.001, 0.01, 0.1, 1]
/** In ms. The event loop runs at this interval to measure its delays, also in an idle server. */
const DELAY_INTERVAL = 50

const PREFIX = 'annals_'
/** Gauges of the library that are named like counters. Its gauges by type contain the same values. */
const MISNAMED = ['handles', 'requests', 'resources'].map(name => `${PREFIX}nodejs_active_${name}_total`)

type MetricJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

export interface ProcessMetrics {
  /** In the form of the library. */
  readonly registered: MetricJson[]
  readonly counters: readonly Point[]
  readonly samples: readonly Point[]
}

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
  /** For all routes together, because labels double the cost and add a dozen lines each. */
  readonly #requestSeconds = new Histogram({
    name: REQUEST_SECONDS,
    help: 'Time from the arrival of a request to its response, in seconds',
    buckets: REQUEST_BUCKETS,
    registers: [this.#registry]
  }).labels()
  /** Called with the missing permission, such as `key:write`. */
  readonly countDenial = this.counter(
    'annals_acl_denials_total',
    'Requests that were denied because of a missing permission',
    'permission'
  )
  /** Start of the shown interval, in epoch milliseconds. */
  #shownFrom: number
  #runningFrom: number

  constructor(private readonly clock: Clock) {
    this.#shownFrom = this.#runningFrom = clock.now()
    this.#addProcessMetrics()
    this.#countRoutes()
  }

  /** Call every `INTERVAL_MS`: shows the observations since the last call. */
  beginInterval(): void {
    this.#shownFrom = this.#runningFrom
    this.#runningFrom = this.clock.now()
    for (const one of [...this.#routes, ...this.#counters, ...this.#samples]) one.beginInterval()
  }

  /** Registers a number that is read on request. */
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

  /** Registers one gauge per label value. @param kind label name */
  gauges(
    name: string,
    help: string,
    kind: string,
    read: () => readonly (readonly [label: string, value: number])[]
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

  /** Registers constants as labels of a gauge with value 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] }).set(labels, 1)
  }

  /** Registers a counter, and returns a function that increments it for a label value. */
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

  /** Registers a histogram. */
  distribution(name: string, help: string, { buckets }: Distribution): Pick<Series, 'add'> {
    const histogram = new Histogram({ name, help, buckets, registers: [this.#registry] })
    const series = new Series(name, {}, histogram.labels())
    this.#samples.push(series)
    return series
  }

  route(method: string, path: string): RouteMeter {
    const meter = new RouteMeter(method, path, this.#requestSeconds)
    this.#routes.push(meter)
    return meter
  }

  /** Adds the metrics of the server's other processes. */
  tellAlso(others: () => Promise<readonly ProcessMetrics[]>): void {
    this.#others = others
  }

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

  /** Returns the Prometheus text format. */
  async prometheus(): Promise<string> {
    if (!this.#others) return this.#registry.metrics()
    const [own, others] = await Promise.all([this.#registry.getMetricsAsJSON(), this.#others()])
    return this.#summed(own, others).metrics()
  }

  get prometheusType(): string {
    return this.#registry.contentType
  }

  /** Returns the form of go-metrics: current gauges, and the last complete interval. @param compat adds the gauges of the reference's runtime */
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

  /** Sums the metrics of all processes. Metrics that cannot be summed are this process's. */
  #summed(own: MetricJson[], others: readonly ProcessMetrics[]): Registry<RegistryContentType> {
    const summed = AggregatorRegistry.aggregate([own, ...others.map(({ registered }) => registered)])
    for (const { name, aggregator } of own) {
      const metric = aggregator === 'omit' ? this.#registry.getSingleMetric(name) : undefined
      if (metric) summed.registerMetric(metric)
    }
    return summed
  }

  /**
   * Adds what the library measures of the process. It has one registry for that: its observers of collections and of the event loop run until
   * the process ends, and with registries of their own would keep each server that ever ran.
   */
  #addProcessMetrics(): void {
    if (!processRegistry.getSingleMetric(`${PREFIX}nodejs_version_info`))
      collectDefaultMetrics({
        prefix: PREFIX,
        gcDurationBuckets: COLLECTION_BUCKETS,
        eventLoopMonitoringPrecision: DELAY_INTERVAL
      })
    // A program that has a server in it may have other metrics there.
    for (const { name } of processRegistry.getMetricsAsArray()) {
      const metric = name.startsWith(PREFIX) ? processRegistry.getSingleMetric(name) : undefined
      if (metric && !MISNAMED.includes(name)) this.#registry.registerMetric(metric)
    }
  }

  #countRoutes(): void {
    const routes = this.#routes
    const requests = new Counter({
      registers: [],
      name: REQUESTS,
      help: 'Responses to requests',
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
      help: 'Total time of the requests of a route, in seconds',
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

const shownGauges = ({ name, values }: MetricJson): RuntimeGauge[] =>
  values.map(({ value, labels }) => ({
    Name: name,
    Value: Number.isFinite(value) ? value : 0,
    Labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)]))
  }))

const measuredIn = (metrics: readonly MetricJson[]) => {
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
