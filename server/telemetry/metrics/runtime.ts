// The runtime gauges of the reference, as far as Node.js has them: V8 counts bytes instead of objects.
import { memoryUsage } from 'node:process'

export interface RuntimeGauge {
  readonly Name: string
  readonly Value: number
  readonly Labels: Readonly<Record<string, string>>
}

/** Sums of the library's metrics over all label sets. */
interface Measured {
  /** Sockets, timers and system requests. */
  readonly activeResources: number
  readonly collections: number
  readonly collectingSeconds: number
}

/** Uses the names that dashboards of the reference expect. */
export const runtimeGauges = (measured: Measured): RuntimeGauge[] => {
  const { heapUsed, rss } = memoryUsage()
  const values = {
    alloc_bytes: heapUsed,
    sys_bytes: rss,
    num_goroutines: measured.activeResources,
    total_gc_runs: measured.collections,
    total_gc_pause_ns: Math.round(measured.collectingSeconds * 1e9)
  }
  return Object.entries(values).map(([name, Value]) => ({
    Name: `consul.runtime.${name}`,
    Value,
    Labels: {}
  }))
}
