// What requests are seen through to their answers with, whatever their routes do.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { LogEvidence } from '../program/log-evidence.js'
import { LOGGER } from '../program/ports.js'
import { BodyBudget } from './bodies/body-budget.js'
import { BodyFiles } from './bodies/body-files.js'
import { Arrivals } from './bodies/incoming.js'
import { KeyedWrites } from './idempotency/keyed-writes.js'
import { WHO_ANSWERS, type WhoAnswers } from './who-answers.js'
import { RequestServices } from './request-services.js'
import { AuthFailures } from './sockets/auth-failures.js'
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
    @inject(WHO_ANSWERS, { isOptional: true }) readonly whoAnswers: WhoAnswers | undefined
  ) {}
}
