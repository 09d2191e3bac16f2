// What the server counts about itself, as `GET /v1/agent/metrics` shows it.
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client'
import { RequestHistogram, type Samples } from './request-histogram.js'

/** Seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

type Sample = { labels: Partial<Record<string, string | number>>; metricName?: string; value: number }

/** Observes the requests of one route. */
export interface RouteMeter {
  observe(status: number, seconds: number): void
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new RequestHistogram({
    name: 'annals_http_request_seconds',
    help: 'Time from the arrival of a request to its answer, in seconds',
    labelNames: ['method', 'path', 'status'],
    buckets: BUCKETS,
    registers: [this.#registry]
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry, prefix: 'annals_' })
  }

  /** A number that is read when the metrics are asked for. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read())
      }
    })
    this.#registry.registerMetric(gauge)
  }

  /** A number of things of several kinds that only grows; called with the kind of each. */
  counter(name: string, help: string, kind: string): (value: string) => void {
    const counter = new Counter({ name, help, labelNames: [kind], registers: [this.#registry] })
    return value => counter.inc({ [kind]: value })
  }

  /** The meter of a route; its label sets are looked up once for each status. */
  route(method: string, path: string): RouteMeter {
    const byStatus = new Map<number, Samples>()
    return {
      observe: (status, seconds) => {
        let samples = byStatus.get(status)
        if (!samples)
          byStatus.set(status, (samples = this.#requests.series({ method, path, status: String(status) })))
        samples.add(seconds)
      }
    }
  }

  /** In the text format of Prometheus. */
  prometheus(): Promise<string> {
    return this.#registry.metrics()
  }

  get prometheusType(): string {
    return this.#registry.contentType
  }

  /** In the form that clients of the agent's metrics know: gauges by value, histograms as samples. */
  async toJson(now: Date): Promise<object> {
    const metrics = await this.#registry.getMetricsAsJSON()
    const samplesOf = (kinds: readonly string[]): Sample[] =>
      metrics
        .filter(metric => kinds.includes(String(metric.type)))
        .flatMap(({ name, values }) => values.map(value => ({ ...value, metricName: name })))
    const labels = (sample: Sample) =>
      Object.fromEntries(Object.entries(sample.labels).map(([name, value]) => [name, String(value)]))
    return {
      Timestamp: now.toISOString(),
      Gauges: samplesOf(['gauge']).map(sample => ({
        Name: sample.metricName,
        Value: Number.isFinite(sample.value) ? sample.value : 0,
        Labels: labels(sample)
      })),
      Points: [],
      Counters: samplesOf(['counter']).map(sample => ({
        Name: sample.metricName,
        Count: sample.value,
        Sum: sample.value,
        Labels: labels(sample)
      })),
      Samples: this.#histograms(metrics, labels)
    }
  }

  #histograms(
    metrics: readonly { name: string; type: unknown; values: readonly Sample[] }[],
    labels: (sample: Sample) => Record<string, string>
  ): object[] {
    return metrics
      .filter(metric => String(metric.type) === 'histogram')
      .flatMap(({ name, values }) => {
        const sums = values.filter(value => value.metricName === `${name}_sum`)
        const counts = values.filter(value => value.metricName === `${name}_count`)
        return sums.map((sum, i) => {
          const Count = counts[i]?.value ?? 0
          return {
            Name: name,
            Count,
            Sum: sum.value,
            Mean: Count > 0 ? sum.value / Count : 0,
            Labels: labels(sum)
          }
        })
      })
  }
}
