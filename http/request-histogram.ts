// A histogram that costs a request next to nothing: its samples are counted in place and put into the library's form
// only when somebody asks for the metrics.
import { Histogram, type HistogramConfiguration } from 'prom-client'

type Label = 'method' | 'path' | 'status'
type Labels = Readonly<Record<Label, string>>

/** The samples of one set of labels. */
export class Samples {
  readonly labels: Labels
  /** Samples up to each bound and above the one before it; the last count is of those above all bounds. */
  readonly counts: number[]
  sum = 0
  readonly #bounds: readonly number[]

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  /** Cost: the buckets up to the one that the value falls into. */
  add(value: number): void {
    const bounds = this.#bounds
    let i = 0
    while (i < bounds.length && value > (bounds[i] ?? Infinity)) i++
    this.counts[i] = (this.counts[i] ?? 0) + 1
    this.sum += value
  }
}

/** As the library has it; the bounds of the buckets in ascending order. */
type RequestHistogramConfiguration = HistogramConfiguration<Label> & { readonly buckets: number[] }

/** The library looks up the labels of each sample again; this one hands out what they stand for. */
export class RequestHistogram extends Histogram<Label> {
  readonly #configuration: RequestHistogramConfiguration
  readonly #series: Samples[] = []

  constructor(configuration: RequestHistogramConfiguration) {
    super(configuration)
    this.#configuration = configuration
  }

  /** Where the samples of these labels go; to be asked for once. */
  series(labels: Labels): Samples {
    const samples = new Samples(labels, this.#configuration.buckets)
    this.#series.push(samples)
    return samples
  }

  /** What the library asks itself for, whatever the form of the answer. */
  async getForPromString() {
    const { name, help } = this.#configuration
    const values = this.#series.flatMap(samples => this.#values(name, samples))
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }

  #values(name: string, { labels: sharedLabels, counts, sum }: Samples) {
    let count = 0
    const buckets = counts.map((inBucket, i) => ({
      metricName: `${name}_bucket`,
      labels: { le: this.#configuration.buckets[i] ?? '+Inf' },
      sharedLabels,
      value: (count += inBucket)
    }))
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count }
    ]
  }
}
