// Runs as a thread, since to count the objects of a heap takes seconds in that of all tests: posts how many objects are left of those that the
// metrics of ended servers measured.
import 'reflect-metadata'
import { queryObjects } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { Metrics } from '../../../../server/telemetry/metrics/metrics.js'

/** Held by the metrics that measure it. */
class Measured {
  readonly value = 1
}

const createMetrics = (count: number): void => {
  for (let i = 0; i < count; i++) {
    const measured = new Measured()
    new Metrics(new SetClock({ runs: false })).gauge('ended', 'ended', () => measured.value)
  }
}

createMetrics(3)
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(queryObjects(Measured, { format: 'count' }))
