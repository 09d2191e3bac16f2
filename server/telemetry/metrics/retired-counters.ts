// What processes of a server have counted that are no more, so that what only grows does not fall when one ends.
import { AggregatorRegistry } from 'prom-client'
import type { ProcessMetrics } from './metrics.js'

type Registered = ProcessMetrics['registered']

const GROWING = ['counter', 'histogram']

/** What of the metrics of a process stays true when it answers no more: what it had now, and in this interval, does not. */
export const isMonotonic = ({ registered }: Pick<ProcessMetrics, 'registered'>): ProcessMetrics => ({
  registered: registered.filter(({ type }) => GROWING.includes(String(type))),
  counters: [],
  samples: []
})

/** Has one sum, however many processes have ended. */
export class RetiredCounters {
  #sum: Promise<Registered> = Promise.resolve([])

  /** Takes what a process last told. */
  add(last: ProcessMetrics): void {
    const { registered } = isMonotonic(last)
    this.#sum = this.#sum.then(sum => AggregatorRegistry.aggregate([sum, registered]).getMetricsAsJSON())
  }

  async sum(): Promise<ProcessMetrics> {
    return { registered: await this.#sum, counters: [], samples: [] }
  }
}
