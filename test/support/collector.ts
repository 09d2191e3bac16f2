// A trace collector: receives OTLP over HTTP in binary form, and stores the spans.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import protobuf from 'protobufjs'
import type { Scope } from './process.js'

/** The parts of opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports that the tests read. */
const MESSAGES = `syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13; Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }`

const REQUEST = protobuf.parse(MESSAGES).root.lookupType('ExportTraceServiceRequest')

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}

interface ReadSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly message: string; readonly code: number } | null
}

interface ReadRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly ReadSpan[] }[]
  }[]
}

type Values = Readonly<Record<string, unknown>>

/** A received span, its IDs in hexadecimal. */
export interface CollectedSpan {
  readonly trace: string
  readonly id: string
  /** Empty for a root span. */
  readonly parent: string
  readonly name: string
  /** 2: server; 3: client. */
  readonly kind: number
  readonly attributes: Values
  readonly events: readonly (readonly [name: string, attributes: Values])[]
  /** IDs of linked spans. */
  readonly links: readonly string[]
  /** 2: failed. */
  readonly status: { readonly message: string; readonly code: number } | null
  readonly resource: Values
}

interface TestCollector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[]
  /** The status of responses; initially 200. */
  answer(status: number): void
}

const hex = (bytes: string): string => Buffer.from(bytes, 'base64').toString('hex')

const valuesOf = (attributes: readonly Attribute[]): Values =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = (body: Buffer): CollectedSpan[] => {
  const read: unknown = REQUEST.toObject(REQUEST.decode(body), { bytes: String, longs: Number, arrays: true })
  const { resourceSpans }: ReadRequest = JSON.parse(JSON.stringify(read))
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes, events, links, status }) => ({
        trace: hex(traceId),
        id: hex(spanId),
        parent: hex(parentSpanId),
        name,
        kind,
        attributes: valuesOf(attributes),
        events: events.map(event => [event.name, valuesOf(event.attributes)] as const),
        links: links.map(link => hex(link.spanId)),
        status: status ?? null,
        resource: valuesOf(resource.attributes)
      }))
    )
  )
}

/** Starts a collector. It ends with the scope. */
export const collector = async (t: Scope): Promise<TestCollector> => {
  const spans: CollectedSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      headers.push(request.headers)
      const isTaken = request.url === '/v1/traces' && status === 200
      if (isTaken) spans.push(...spansIn(Buffer.concat(chunks)))
      response.writeHead(isTaken ? 200 : status, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector has no port')
  t.teardown(
    () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  )
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    spans,
    headers,
    answer: next => void (status = next)
  }
}
