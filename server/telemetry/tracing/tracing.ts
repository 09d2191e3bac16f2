// What the rest of the server knows of traces. Who makes them is loaded only when the settings ask for them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InjectionToken } from 'tsyringe'
import type { TraceHeaders } from '../../../actors/ports.js'

/** By which lines of the log are found that belong to a trace. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
}

/** The span of a request, from its arrival to the end of its answer. */
export interface RequestSpan {
  readonly ids: TraceIds
  /** By which a request that is sent on belongs to the same trace. */
  readonly headers: ReturnType<TraceHeaders>
  /** Tells which route the request goes to. @param path such as `/v1/kv/*key` */
  lead(path: string): void
  /** Does what the request asks for: what is decided and asked of others meanwhile belongs to its trace. */
  run<T>(work: () => T): T
  /** Tells that the answer, which had to wait for that, reflects nothing any more that is not on disk. */
  flushed(): void
  /** Ends the span with the answer. */
  endWith(response: ServerResponse): void
  /** Ends the span of a request that became something else than an answer. */
  end(status: number): void
}

/** A batch of commits that a webhook gets. */
export interface TracedDelivery {
  /** Name of the cursor. */
  readonly cursor: string
  readonly from: number
  readonly to: number
  readonly url: string
}

export interface Tracing {
  /** The span of a request, which begins when it is first asked for. */
  spanOf(request: IncomingMessage): RequestSpan
  /**
   * Delivers a batch in a span of its own, which belongs to the trace of the newest request that wrote some of it.
   * @param failureOf why it failed, of what became of it
   */
  delivering<T>(
    delivery: TracedDelivery,
    deliver: () => Promise<T>,
    failureOf: (outcome: T) => string | undefined
  ): Promise<T>
}

/** Registered only where traces are made. */
export const TRACING: InjectionToken<Tracing> = Symbol('Tracing')
