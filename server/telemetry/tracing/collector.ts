// Where finished spans are sent: a collector, by OTLP over HTTP.
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { OutgoingTls } from '../../../actors/outgoing/outgoing-tls.js'
import type { Settings } from '../../settings/settings.js'

/** For one batch, what is tried again included. */
const TIMEOUT_MS = 5000

/** Sends spans; a collector that fails is a line of the log, and so is that it takes them again. */
export class Collector implements SpanExporter {
  readonly #exporter: SpanExporter
  readonly #endpoint: string
  #isFailing = false

  constructor(
    { headers, endpoint }: Settings['tracing'] & { readonly endpoint: string },
    tls: OutgoingTls,
    private readonly logger: Logger
  ) {
    this.#endpoint = endpoint
    this.#exporter = new OTLPTraceExporter({
      url: endpoint,
      headers: { ...headers },
      timeoutMillis: TIMEOUT_MS,
      httpAgentOptions: async protocol => {
        const options = { keepAlive: true }
        if (protocol === 'http:') return new (await import('node:http')).Agent(options)
        const secureContext = tls.contextFor('')
        return new (await import('node:https')).Agent({ ...options, ...(secureContext && { secureContext }) })
      }
    })
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, result => {
      this.#report(result)
      done(result)
    })
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }

  #report({ code, error }: ExportResult): void {
    const isFailing = code !== ExportResultCode.SUCCESS
    if (isFailing === this.#isFailing) return
    this.#isFailing = isFailing
    const endpoint = this.#endpoint
    if (isFailing) this.logger.warn({ endpoint, err: error }, 'traces cannot be sent, and are lost meanwhile')
    else this.logger.info({ endpoint }, 'traces can be sent again')
  }
}
