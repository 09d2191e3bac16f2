import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { OIDC_REQUEST_TOPIC } from '../../events/oidc-request.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { TOKEN_TOPIC } from '../../events/token.js'

/** Topics of resources that may have secrets, which are erased after the deletion of the resource. */
export const SECRET_TOPICS: readonly string[] = [
  TOKEN_TOPIC,
  AUTH_METHOD_TOPIC,
  OIDC_REQUEST_TOPIC,
  QUERY_TOPIC,
  CURSOR_TOPIC,
  CHECK_TOPIC
]
