// Traces in OpenTelemetry, with the semantic conventions for HTTP servers.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
  type Attributes
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { LRUCache } from 'lru-cache'
import type { Commit } from '../../../events/envelope.js'
import type { RequestSpan, TracedDelivery, Tracing, TraceIds } from './tracing.js'
import type { SpanContext } from '@opentelemetry/api'
import { TLSSocket } from 'node:tls'
import { redact } from '../logging/redact.js'
import { requestIdIn } from '../request-id.js'

/** The query is omitted, because it may contain a token. */
const requestAttributes = (request: IncomingMessage): Attributes => {
  const { method = '', url = '', headers, socket, httpVersion } = request
  const [path = ''] = url.split('?', 1)
  const id = requestIdIn(headers)
  return {
    'http.request.method': method,
    'url.path': redact(path),
    'url.scheme': socket instanceof TLSSocket ? 'https' : 'http',
    'network.protocol.version': httpVersion,
    ...(headers.host === undefined ? {} : { 'server.address': headers.host.replace(/:\d+$/, '') }),
    ...(socket.localPort === undefined ? {} : { 'server.port': socket.localPort }),
    ...(socket.remoteAddress === undefined ? {} : { 'network.peer.address': socket.remoteAddress }),
    ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
    ...(id === undefined ? {} : { 'annals.request_id': id })
  }
}

class HttpSpan implements RequestSpan {
  constructor(
    private readonly span: Span,
    private readonly method: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly run: RequestSpan['run']
  ) {}

  get ids(): TraceIds {
    const { traceId, spanId } = this.span.spanContext()
    return { trace_id: traceId, span_id: spanId }
  }

  lead(path: string): void {
    if (!this.span.isRecording()) return
    this.span.updateName(`${this.method} ${path}`)
    this.span.setAttribute('http.route', path)
  }

  flushed(): void {
    if (this.span.isRecording()) this.span.addEvent('flush')
  }

  endWith(response: ServerResponse): void {
    if (!this.span.isRecording()) return
    response.once('close', () => {
      if (!response.writableFinished) this.span.setAttribute('error.type', 'broken off')
      this.end(response.headersSent ? response.statusCode : 0)
    })
  }

  end(status: number): void {
    if (!this.span.isRecording()) return
    if (status > 0) this.span.setAttribute('http.response.status_code', status)
    if (status >= 500) {
      this.span.setAttribute('error.type', String(status))
      this.span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.span.end()
  }
}

/** Limit of commits with known requests. Deliveries of older commits have their own traces. */
const MAX_COMMITS = 1024
/** Limit of links in one delivery's span. */
const MAX_LINKS = 128

class CommitSpans {
  /** By commit index, ascending. */
  readonly #spans = new LRUCache<number, SpanContext>({ max: MAX_COMMITS })

  note(index: number, span: SpanContext): void {
    this.#spans.set(index, span)
  }

  /** Returns the distinct writers' spans of an inclusive commit range, newest first. */
  between(from: number, to: number): readonly SpanContext[] {
    const [oldest = Infinity] = this.#spans.rkeys()
    const found = new Map<string, SpanContext>()
    for (let index = to; index >= Math.max(from, oldest) && found.size < MAX_LINKS; index--) {
      const span = this.#spans.peek(index)
      if (span) found.set(span.spanId, span)
    }
    return [...found.values()]
  }
}

const propagator = new W3CTraceContextPropagator()

export class OpenTelemetry implements Tracing {
  readonly #spans = new WeakMap<IncomingMessage, HttpSpan>()
  readonly #current = new AsyncLocalStorage<Span>()
  readonly #commits = new CommitSpans()

  constructor(private readonly tracer: Tracer) {}

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

  /** Returns trace headers for outgoing requests of the current context; empty without a trace. */
  readonly headers = (): Readonly<Record<string, string>> => {
    const span = this.#current.getStore()
    return span ? this.#headersOf(span) : {}
  }

  /** Links a commit with the current context. */
  decided({ Index, By, Events }: Commit): void {
    const span = this.#current.getStore()
    // Background work may decide long after its response.
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
