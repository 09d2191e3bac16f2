import type { Logger } from 'pino'
import { LoginDenied, ProviderFailed } from '../../../actors/refusal.js'
import type { RequestContext } from '../../wire/request-context.js'

/** Logs the reason of a refusal that the response does not disclose. */
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
