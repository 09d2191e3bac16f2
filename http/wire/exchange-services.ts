// What requests are seen through to their answers with, whatever their routes do.
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { LogEvidence } from './log-evidence.js'
import { LOGGER } from '../../server/settings/ports.js'
import { TRACING, type Tracing } from '../../server/telemetry/tracing/tracing.js'
import { BodyBudget } from './bodies/body-budget.js'
import { BodyFiles } from './bodies/body-files.js'
import { Arrivals, Incoming, type Output, type PathParameters } from './bodies/incoming.js'
import { KeyedWrites } from './idempotency/keyed-writes.js'
import { IN_DATACENTERS, type InDatacenters } from './in-datacenters.js'
import { ApiRequest } from './request.js'
import { RequestServices } from './request-services.js'
import type { Route } from './route.js'
import { AuthFailures } from './sockets/auth-failures.js'
import { WHO_ANSWERS, type WhoAnswers } from './who-answers.js'
import { AnswerWriter } from './writer.js'

/** What the exchanges of a server work with. */
@scoped(Lifecycle.ContainerScoped)
export class ExchangeServices {
  constructor(
    readonly request: RequestServices,
    readonly arrivals: Arrivals,
    readonly writer: AnswerWriter,
    readonly bodyBudget: BodyBudget,
    readonly bodyFiles: BodyFiles,
    readonly authFailures: AuthFailures,
    readonly keyedWrites: KeyedWrites,
    readonly evidence: LogEvidence,
    @inject(LOGGER) readonly logger: Logger,
    @inject(WHO_ANSWERS, { isOptional: true }) readonly whoAnswers: WhoAnswers | undefined,
    @inject(IN_DATACENTERS, { isOptional: true }) readonly datacenters: InDatacenters | undefined,
    @inject(TRACING, { isOptional: true }) readonly tracing: Tracing | undefined
  ) {}

  /** A request to a route. @param output where its answer goes */
  requestOf(route: Route, message: IncomingMessage, output: Output, params: PathParameters): ApiRequest {
    const span = this.tracing?.spanOf(message)
    span?.lead(route.path)
    return new ApiRequest(this.request, new Incoming(this.arrivals, message, output, params, span), route)
  }
}
