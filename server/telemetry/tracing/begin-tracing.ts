import { emptyResource, envDetector, detectResources, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import type { DependencyContainer } from 'tsyringe'
import { factory } from '../../../actors/factories.js'
import { OutgoingTls } from '../../../actors/outgoing/destinations.js'
import { TRACE_HEADERS } from '../../../actors/ports.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { programVersion } from '../../../events/version.js'
import type { Settings } from '../../settings/settings.js'
import { OpenTelemetry } from './open-telemetry.js'
import { TRACING } from './tracing.js'
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/** Timeout of a batch with its retries. */
const TIMEOUT_MS = 5000

/** Sends spans, and logs when the collector fails or recovers. */
class Collector implements SpanExporter {
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

/** Time for the last spans to be sent on shutdown. */
const FLUSH_TIMEOUT_MS = 2000

/** Creates the spans of this process and sends them to the collector. */
export class Traces {
  readonly tracing: OpenTelemetry
  readonly #provider: TracerProvider

  constructor(settings: Settings, instance: string, exporter: SpanExporter) {
    const { tracing, node_name: name, datacenter } = settings
    this.#provider = new TracerProvider({
      resource: emptyResource()
        .merge(
          resourceFromAttributes({
            'service.name': tracing.service_name,
            'service.version': programVersion(),
            'service.instance.id': instance,
            'annals.node': name,
            'annals.datacenter': datacenter
          })
        )
        // Adds OTEL_RESOURCE_ATTRIBUTES.
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracing.sample_ratio) }),
      spanProcessors: [new BatchSpanProcessor({ exporter })]
    })
    this.tracing = new OpenTelemetry(this.#provider.getTracer('annals', programVersion()))
  }

  async stop(): Promise<void> {
    // An unreachable collector must not delay the shutdown.
    await this.#provider.forceFlush({ timeoutMillis: FLUSH_TIMEOUT_MS }).catch(() => {})
    this.#provider.shutdown().catch(() => {})
  }
}

/** @param process distinguishes the processes of a server */
export const registerTracing = (scope: DependencyContainer, endpoint: string, process: string): void => {
  const traces = factory([SETTINGS, OutgoingTls, LOGGER], (settings, tls, logger) => {
    const collector = new Collector({ ...settings.tracing, endpoint }, tls, logger)
    return new Traces(settings, `${settings.node_id}${process}`, collector)
  })
  scope.register(Traces, traces)
  scope.register(
    TRACING,
    factory([Traces], ({ tracing }) => tracing)
  )
  scope.register(
    TRACE_HEADERS,
    factory([Traces], ({ tracing }) => tracing.headers)
  )
}
