// While somebody looks at the past nothing is changed: what is seen there is not what would be written over.
import { asOfIndex } from './as-of-state.js'

/** Why nothing can be changed. */
export const READ_ONLY = 'This is what was. Go back to now to change something.'

/** What is no GET and changes nothing of what is kept. */
const HARMLESS =
  /^\/v1\/(?:internal\/acl\/authorize|acl\/(?:explain|policy\/validate|rules\/translate|binding-rules\/test|login|logout|oidc\/)|discovery-chain\/)/
const CONFLICT = 409

const changes = (method: string, { pathname, searchParams }: URL): boolean =>
  !['GET', 'HEAD'].includes(method) && !searchParams.has('dry-run') && !HARMLESS.test(pathname)

/** As `fetch`; what would change something is refused without being sent. */
export const fetchReadOnly: typeof fetch = async (...request) => {
  const [to, init] = request
  const url = new URL(to instanceof Request ? to.url : to)
  const method = init?.method ?? (to instanceof Request ? to.method : 'GET')
  if (asOfIndex.peek() !== undefined && changes(method, url))
    return new Response(READ_ONLY, { status: CONFLICT })
  return fetch(...request)
}
