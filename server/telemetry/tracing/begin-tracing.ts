// Has a server make traces, from its start to its end.
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
import { Collector } from './collector.js'
import { OpenTelemetry } from './open-telemetry.js'
import { TRACING } from './tracing.js'

/** How long the end of a server waits for a collector to take the last spans. */
const LAST_MS = 2000

/**
 * To be called before anything is resolved that makes spans or asks others.
 * @param endpoint of the collector
 * @param process names which one of a server's it is
 * @returns how to end it, which sends what is not sent yet
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
      // OTEL_RESOURCE_ATTRIBUTES, as anywhere.
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracing.sample_ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })]
  })
  const made = new OpenTelemetry(provider.getTracer('annals', programVersion()))
  scope.registerInstance(TRACING, made)
  scope.registerInstance(TRACE_HEADERS, made.headers)
  scope.resolve(Committer).signals.on('applied', commit => made.decided(commit))
  return async () => {
    // Whoever ends a server does not wait for a collector that is not there.
    await provider.forceFlush({ timeoutMillis: LAST_MS }).catch(() => {})
    provider.shutdown().catch(() => {})
  }
}
