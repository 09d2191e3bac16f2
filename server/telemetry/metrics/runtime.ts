// What the reference tells of its runtime, as far as ours has it too: V8 counts bytes, not the objects in them.
import { memoryUsage } from 'node:process'

/** A gauge as `/v1/agent/metrics` shows it. */
export interface RuntimeGauge {
  readonly Name: string
  readonly Value: number
  readonly Labels: Readonly<Record<string, string>>
}

/** Sums over all label sets of what the library measures itself. */
interface Measured {
  /** What keeps the process at work: sockets, timers, requests to the system. */
  readonly activeResources: number
  readonly collections: number
  readonly collectingSeconds: number
}

/** The gauges under the names that dashboards of the reference ask for. */
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
