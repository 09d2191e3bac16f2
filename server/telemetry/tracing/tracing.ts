// The port of tracing. The implementation is loaded only if the settings need it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InjectionToken } from 'tsyringe'
import type { TraceHeaders } from '../../../actors/ports.js'

/** Links log lines with a trace. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
}

/** The span of a request, until the end of its response. */
export interface RequestSpan {
  readonly ids: TraceIds
  /** Trace headers for forwarding the request. */
  readonly headers: ReturnType<TraceHeaders>
  /** Sets the route. @param path such as `/v1/kv/*key` */
  lead(path: string): void
  run<T>(work: () => T): T
  /** Marks the end of the durability wait. */
  flushed(): void
  endWith(response: ServerResponse): void
  /** Ends the span of a request without a normal response. */
  end(status: number): void
}

/** A webhook's batch of commits. */
export interface TracedDelivery {
  readonly cursor: string
  readonly from: number
  readonly to: number
  readonly url: string
}

export interface Tracing {
  /** Creates the span on first use. */
  spanOf(request: IncomingMessage): RequestSpan
  /** Delivers a batch in its own span, in the trace of the newest request that wrote some of it. @param failureOf returns the failure in a result */
  delivering<T>(
    delivery: TracedDelivery,
    deliver: () => Promise<T>,
    failureOf: (outcome: T) => string | undefined
  ): Promise<T>
}

/** Registered only if tracing is on. */

export const TRACING: InjectionToken<Tracing> = Symbol('Tracing')
