// Rejects writes during time travel, when the displayed state is not the state that a write would replace.
import { asOfIndex } from './as-of-state.js'

export const READ_ONLY = 'You are viewing the past. Return to now to make changes.'

/** Paths of requests that are not GET and change no stored resource. */
const HARMLESS =
  /^\/v1\/(?:internal\/acl\/authorize|acl\/(?:explain|policy\/validate|rules\/translate|binding-rules\/test|login|logout|oidc\/)|discovery-chain\/)/
const CONFLICT = 409

const changes = (method: string, { pathname, searchParams }: URL): boolean =>
  !['GET', 'HEAD'].includes(method) && !searchParams.has('dry-run') && !HARMLESS.test(pathname)

/** As `fetch`, but rejects writes during time travel without sending them. */
export const fetchReadOnly: typeof fetch = async (...request) => {
  const [to, init] = request
  const url = new URL(to instanceof Request ? to.url : to)
  const method = init?.method ?? (to instanceof Request ? to.method : 'GET')
  if (asOfIndex.peek() !== undefined && changes(method, url))
    return new Response(READ_ONLY, { status: CONFLICT })
  return fetch(...request)
}
