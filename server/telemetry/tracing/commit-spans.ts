// Which requests wrote the newest commits, for those who tell others of them.
import type { SpanContext } from '@opentelemetry/api'

/** Commits whose requests are known. A webhook that is further behind tells of them in a trace of its own. */
const MOST = 1024
/** Of one delivery: as many links as a span may have. */
const MOST_TOGETHER = 128

export class CommitSpans {
  /** By the index of the commit, ascending. */
  readonly #spans = new Map<number, SpanContext>()

  note(index: number, span: SpanContext): void {
    this.#spans.set(index, span)
    const [oldest] = this.#spans.keys()
    if (this.#spans.size > MOST && oldest !== undefined) this.#spans.delete(oldest)
  }

  /** Of those who wrote commits in a range, both ends included: the newest first, each once. */
  between(from: number, to: number): readonly SpanContext[] {
    const [oldest = Infinity] = this.#spans.keys()
    const found = new Map<string, SpanContext>()
    for (let index = to; index >= Math.max(from, oldest) && found.size < MOST_TOGETHER; index--) {
      const span = this.#spans.get(index)
      if (span) found.set(span.spanId, span)
    }
    return [...found.values()]
  }
}
