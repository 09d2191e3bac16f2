// Counts the answers of DNS, and how long they took.
import { Lifecycle, scoped } from 'tsyringe'
import { Metrics } from '../telemetry/metrics/metrics.js'
import { RCODES } from './message-writer.js'

/** Seconds. More than a hundredth means that the log or another server was waited for. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.1, 1]
const RCODE_BYTE = 3
/** The RCODE in the header; of an extended RCODE these are the lower four bits. */
const RCODE_BITS = 0x0f

const names = new Map(Object.entries(RCODES).map(([name, code]) => [code, name]))

@scoped(Lifecycle.ContainerScoped)
export class DnsMeter {
  readonly #count: (rcode: string) => void
  readonly #seconds: (seconds: number) => void

  constructor(metrics: Metrics) {
    this.#count = metrics.counter(
      'annals_dns_answers_total',
      'DNS questions that were answered, by the code of the answer',
      'rcode'
    )
    this.#seconds = metrics.distribution(
      'annals_dns_answer_seconds',
      'Time from the arrival of a DNS question to its answer, in seconds',
      { buckets: BUCKETS }
    )
  }

  /** @param began a time of `performance.now` */
  observe(answer: Buffer | undefined, began: number): void {
    if (!answer) return
    const code = (answer[RCODE_BYTE] ?? 0) & RCODE_BITS
    this.#count(names.get(code) ?? String(code))
    this.#seconds((performance.now() - began) / 1000)
  }
}
