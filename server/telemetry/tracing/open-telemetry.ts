// Traces by OpenTelemetry, in the form of its semantic conventions for HTTP servers.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Commit } from '../../../events/envelope.js'
import { CommitSpans } from './commit-spans.js'
import { HttpSpan, requestAttributes } from './http-span.js'
import type { RequestSpan, TracedDelivery, Tracing } from './tracing.js'

const propagator = new W3CTraceContextPropagator()

export class OpenTelemetry implements Tracing {
  readonly #spans = new WeakMap<IncomingMessage, HttpSpan>()
  /** The span of whatever is done just now. */
  readonly #current = new AsyncLocalStorage<Span>()
  readonly #commits = new CommitSpans()

  constructor(private readonly tracer: Tracer) {
  }

  spanOf(request: IncomingMessage): RequestSpan {
    let span = this.#spans.get(request)
    if (!span) this.#spans.set(request, (span = this.#begin(request)))
    return span
  }

  #begin(request: IncomingMessage): HttpSpan {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
    const { method = '' } = request
    const options = { kind: SpanKind.SERVER, attributes: requestAttributes(request) }
    const span = this.tracer.startSpan(method, options, parent)
    return new HttpSpan(span, method, this.#headersOf(span), work => this.#current.run(span, work))
  }

  /** By which what is asked of others just now belongs to the trace of what it is asked for; none where nothing is traced. */
  readonly headers = (): Readonly<Record<string, string>> => {
    const span = this.#current.getStore()
    return span ? this.#headersOf(span) : {}
  }

  /** A commit was decided here, as what is done just now asks for. */
  decided({ Index, By, Events }: Commit): void {
    const span = this.#current.getStore()
    // What a request has set going may decide long after its answer.
    if (!span?.isRecording()) return
    this.#commits.note(Index, span.spanContext())
    span.addEvent('decision', {
      'annals.command': By.Command,
      'annals.index': Index,
      'annals.events': Events.length
    })
  }

  delivering<T>(
    { cursor, from, to, url }: TracedDelivery,
    deliver: () => Promise<T>,
    failureOf: (outcome: T) => string | undefined
  ): Promise<T> {
    const [newest, ...others] = this.#commits.between(from, to)
    const parent = newest ? trace.setSpanContext(ROOT_CONTEXT, newest) : ROOT_CONTEXT
    const { hostname, port, protocol } = new URL(url)
    const span = this.tracer.startSpan(
      'POST',
      {
        kind: SpanKind.CLIENT,
        links: others.map(context => ({ context })),
        attributes: {
          'http.request.method': 'POST',
          'server.address': hostname,
          'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
          'annals.cursor': cursor,
          'annals.index.from': from,
          'annals.index.to': to
        }
      },
      parent
    )
    return this.#current.run(span, async () => {
      try {
        const outcome = await deliver()
        const message = failureOf(outcome)
        if (message !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message })
        return outcome
      } finally {
        span.end()
      }
    })
  }

  #headersOf(span: Span): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, defaultTextMapSetter)
    return headers
  }
}
