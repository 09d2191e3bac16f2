// Tokens that were made a moment ago, and are not shown yet by the server or worker that is asked.
import { Refusal } from '../../../actors/refusal.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type { Route } from '../../../http/wire/route.js'

/** Whether what is shown here says who asks, as far as the route wants to know. */
const knowsWhoAsks = ({ access }: Route, request: RequestContext): boolean => {
  if (!access.resolvesToken) return true
  try {
    request.requireToken()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/**
 * Answers a request here although what is shown may be old; one with an unknown token only when the newest is shown, or cannot be.
 * @param newest resolves when everything is shown that was acknowledged anywhere
 */
export const answerOnceTokenIsKnown = (
  route: Route,
  request: RequestContext,
  newest: () => Promise<void>
): 'here' | Promise<'here'> => {
  if (knowsWhoAsks(route, request)) return 'here'
  const here = (): 'here' => 'here'
  return newest().then(here, here)
}
