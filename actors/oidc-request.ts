// Pending OIDC requests (spec: auth.md §10).
import type { Tenancy } from '../events/envelope.js'
import {
  OIDC_REQUEST_TOPIC,
  type OidcRequest,
  type OidcRequestEvent,
  oidcRequestEvents,
  type OidcSecrets
} from '../events/oidc-request.js'
import { formatTime } from '../events/time.js'
import { nameKey } from '../projections/row-table.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'
import { LoginDenied, unknownMethod, Refusal } from './refusal.js'

/** The command's tenancy is that of the auth method. */
type OpenOidcRequest = Command<
  'OpenOidcRequest',
  OidcSecrets & {
    readonly newId: string
    readonly method: string
    readonly redirectUri: string
    readonly meta: Readonly<Record<string, string>>
  }
>
/** Closes a request, whatever its login comes to. */
type UseOidcRequest = Command<'UseOidcRequest', { readonly state: string; readonly method: string }>
/** Closes those of the requests that have expired at the time of the command. */
type ExpireOidcRequests = Command<'ExpireOidcRequests', { readonly ids: readonly string[] }>
type OidcRequestCommand = OpenOidcRequest | UseOidcRequest | ExpireOidcRequests

// Decisions (spec: auth.md §10.2; decisions.md 20)

export const OIDC_REQUEST_LIFE_MS = 10 * 60_000

/** Beginning a login requires no token, so the number of pending requests is limited. */
const MAX_OIDC_REQUESTS = 100_000

const EXPIRED_STATE = 'Provider login failed: Expired or missing OAuth state.'

const open = ({ data, tenancy, at }: OpenOidcRequest, views: Views, index: number): OidcRequestEvent[] => {
  const row = views.authMethods.named(tenancy, data.method)
  if (!row) throw unknownMethod(data.method)
  if (views.oidcRequests.size >= MAX_OIDC_REQUESTS)
    throw new Refusal(
      'acl.login.unavailable',
      `More than ${MAX_OIDC_REQUESTS} OIDC logins wait for their callback: try again later`
    )
  const request = {
    ID: data.newId,
    AuthMethod: row.method.Name,
    RedirectURI: data.redirectUri,
    Meta: data.meta,
    ExpirationTime: formatTime(at + OIDC_REQUEST_LIFE_MS),
    CreateIndex: index
  }
  return [oidcRequestOpened(tenancy, request, data)]
}

const use = ({ data, tenancy, at }: UseOidcRequest, views: Views): OidcRequestEvent[] => {
  const row = views.oidcRequests.withState(data.state)
  const isOfMethod = row && nameKey(row.tenancy, row.request.AuthMethod) === nameKey(tenancy, data.method)
  if (!isOfMethod || at >= row.expiresAt) throw new LoginDenied(EXPIRED_STATE, EXPIRED_STATE)
  return [oidcRequestClosed(row.tenancy, row.request)]
}

const expire = ({ data, at }: ExpireOidcRequests, views: Views): OidcRequestEvent[] =>
  data.ids.flatMap(id => {
    const row = views.oidcRequests.get(id)
    return row && at >= row.expiresAt ? [oidcRequestClosed(row.tenancy, row.request)] : []
  })

export const oidcRequestOpened = (
  tenancy: Tenancy,
  request: OidcRequest,
  { State, Nonce, CodeVerifier, ClientNonce }: OidcSecrets
): OidcRequestEvent =>
  oidcRequestEvents.create('OIDCRequestOpened', tenancy, request, { State, Nonce, CodeVerifier, ClientNonce })

export const oidcRequestClosed = (tenancy: Tenancy, request: OidcRequest): OidcRequestEvent =>
  oidcRequestEvents.create('OIDCRequestClosed', tenancy, request)

export const oidcRequestAggregate: Aggregate<OidcRequestCommand> = {
  lifecycle: lifecycleOf<OidcRequestEvent>({
    topic: OIDC_REQUEST_TOPIC,
    states: { absent: { OIDCRequestOpened: 'pending' }, pending: { OIDCRequestClosed: 'absent' } },
    stateOf: ({ oidcRequests }, { key }) => (oidcRequests.get(key) ? 'pending' : 'absent')
  }),
  removals: ['ExpireOidcRequests'],
  decide: decideBy({
    OpenOidcRequest: open,
    UseOidcRequest: use,
    ExpireOidcRequests: expire
  })
}

// Allowed redirect URIs (spec: auth.md §10.1).

/** Scheme, host and port on the browser's own machine, where programs listen on any free port. Only the scheme has any letter case. */
const LOOPBACK =
  /^([A-Za-z][A-Za-z0-9+.-]*)(:\/\/(?:[^@/?#]*@)?(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d*)?(?=[/?#]|$)/

const withoutPort = (text: string): string | undefined => {
  const found = URL.canParse(text) ? LOOPBACK.exec(text) : null
  if (!found) return undefined
  const [beginning, scheme = '', host = ''] = found
  return `${scheme.toLowerCase()}${host}${text.slice(beginning.length)}`
}

/** Allows an entry itself, or on a loopback host one with the same text in everything but the port. */
export const isAllowedRedirect = (uri: string, allowed: readonly string[]): boolean => {
  if (allowed.includes(uri)) return true
  const loopback = withoutPort(uri)
  return loopback !== undefined && allowed.some(entry => withoutPort(entry) === loopback)
}
