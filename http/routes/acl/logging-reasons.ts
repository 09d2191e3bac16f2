// Why a login or an auth method was refused, where the caller is not told: for the log.
import type { Logger } from 'pino'
import { LoginDenied, ProviderFailed } from '../../../actors/refusal.js'
import type { RequestContext } from '../../wire/request-context.js'

/** What `work` comes to; when it is refused for a reason that the answer keeps back, the log says it. */
export const loggingReasons = async <T>(
  logger: Logger,
  { incoming }: RequestContext,
  method: string,
  work: () => Promise<T>
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const requestId = incoming.id
    if (error instanceof LoginDenied) logger.info({ method, reason: error.reason, requestId }, 'login denied')
    else if (error instanceof ProviderFailed)
      logger.warn({ method, reason: error.reason, requestId }, 'the provider of an auth method failed')
    throw error
  }
}
