import { emptyResource, envDetector, detectResources, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { OutgoingTls } from '../../../actors/outgoing/outgoing-tls.js'
import { TRACE_HEADERS } from '../../../actors/ports.js'
import { LOGGER } from '../../settings/ports.js'
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

/**
 * Must be called before anything that creates spans is resolved.
 * @param process distinguishes the processes of a server
 * @returns a function that flushes and ends tracing
 */
export const beginTracing = (
  scope: DependencyContainer,
  settings: Settings,
  endpoint: string,
  process: string
): (() => Promise<void>) => {
  const { tracing, node_id: node, node_name: name, datacenter } = settings
  const exporter = new Collector({ ...tracing, endpoint }, scope.resolve(OutgoingTls), scope.resolve(LOGGER))
  const provider = new TracerProvider({
    resource: emptyResource()
      .merge(
        resourceFromAttributes({
          'service.name': tracing.service_name,
          'service.version': programVersion(),
          'service.instance.id': `${node}${process}`,
          'annals.node': name,
          'annals.datacenter': datacenter
        })
      )
      // Adds OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracing.sample_ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })]
  })
  const made = new OpenTelemetry(provider.getTracer('annals', programVersion()))
  scope.registerInstance(TRACING, made)
  scope.registerInstance(TRACE_HEADERS, made.headers)
  scope.resolve(Committer).signals.on('applied', commit => made.decided(commit))
  return async () => {
    // An unreachable collector must not delay the shutdown.
    await provider.forceFlush({ timeoutMillis: FLUSH_TIMEOUT_MS }).catch(() => {})
    provider.shutdown().catch(() => {})
  }
}
