// Keeps the counters of ended processes, so that sums never decrease.
import { AggregatorRegistry } from 'prom-client'
import type { ProcessMetrics } from './metrics.js'

type Registered = ProcessMetrics['registered']

const GROWING = ['counter', 'histogram']

/** Keeps only metrics that remain valid after the process has ended. */
export const isMonotonic = ({ registered }: Pick<ProcessMetrics, 'registered'>): ProcessMetrics => ({
  registered: registered.filter(({ type }) => GROWING.includes(String(type))),
  counters: [],
  samples: []
})

/** Stores one sum for any number of ended processes. */
export class RetiredCounters {
  #sum: Promise<Registered> = Promise.resolve([])

  add(last: ProcessMetrics): void {
    const { registered } = isMonotonic(last)
    this.#sum = this.#sum.then(sum => AggregatorRegistry.aggregate([sum, registered]).getMetricsAsJSON())
  }

  async sum(): Promise<ProcessMetrics> {
    return { registered: await this.#sum, counters: [], samples: [] }
  }
}
