import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { LogEvidence } from './log-evidence.js'
import { LOGGER } from '../../server/settings/ports.js'
import { TRACING, type Tracing } from '../../server/telemetry/tracing/tracing.js'
import { ArrivalState, type Output, type PathParameters } from './bodies/incoming-request.js'
import { KeyedWrites } from './idempotency/keyed-writes.js'
import { DATACENTER_ROUTING, type DatacenterRouting } from './datacenter-routing.js'
import { RequestContext } from './request-context.js'
import { RequestServices } from './request-services.js'
import type { Route } from './route.js'
import { AuthFailures } from './sockets/auth-failures.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'
import { ResponseWriter } from './response-writer.js'

@scoped(Lifecycle.ContainerScoped)
export class PipelineServices {
  constructor(
    readonly request: RequestServices,
    readonly arrivals: ArrivalState,
    readonly writer: ResponseWriter,
    readonly authFailures: AuthFailures,
    readonly keyedWrites: KeyedWrites,
    readonly evidence: LogEvidence,
    @inject(LOGGER) readonly logger: Logger,
    @inject(REQUEST_ROUTING, { isOptional: true }) readonly routing: RequestRouting | undefined,
    @inject(DATACENTER_ROUTING, { isOptional: true }) readonly datacenters: DatacenterRouting | undefined,
    @inject(TRACING, { isOptional: true }) readonly tracing: Tracing | undefined
  ) {}

  requestOf(route: Route, message: IncomingMessage, output: Output, params: PathParameters): RequestContext {
    const span = this.tracing?.spanOf(message)
    span?.lead(route.path)
    return new RequestContext(this.request, route, message, output, span, params)
  }
}
