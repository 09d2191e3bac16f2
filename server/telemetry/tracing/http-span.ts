// One request as a span.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api'
import { redact } from '../logging/redact.js'
import { requestIdIn } from '../request-id.js'
import type { RequestSpan, TraceIds } from './tracing.js'

/** What is known of a request before anybody looks at it. Its query is left out: a token may be in it. */
export const requestAttributes = (request: IncomingMessage): Attributes => {
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

export class HttpSpan implements RequestSpan {

  constructor(
    private readonly span: Span,
    private readonly method: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly run: RequestSpan['run']
  ) {
  }

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
