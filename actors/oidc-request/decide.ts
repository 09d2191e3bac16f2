// Decides the commands on pending OIDC requests (spec: auth.md §10.2; decisions.md 20).
import type { OidcRequestEvent } from '../../events/oidc-request.js'
import { formatTime } from '../../events/time.js'
import { nameKey } from '../../projections/acl/tenancy-rows.js'
import type { Views } from '../../projections/views.js'
import { LoginDenied, unknownMethod } from '../login/login-denied.js'
import { Refusal } from '../refusal.js'
import type { ExpireOidcRequests, OidcRequestCommand, OpenOidcRequest, UseOidcRequest } from './commands.js'
import { oidcRequestClosed, oidcRequestOpened } from './events.js'

/** How long a request waits for its callback. */
export const OIDC_REQUEST_LIFE_MS = 10 * 60_000

/** Nobody needs a token to begin a login, so what beginnings may take up has an end. */
export const MOST_OIDC_REQUESTS = 100_000

const GONE = 'Provider login failed: Expired or missing OAuth state.'

const open = ({ data, tenancy, at }: OpenOidcRequest, views: Views, index: number): OidcRequestEvent[] => {
  const row = views.authMethods.named(tenancy, data.method)
  if (!row) throw unknownMethod(data.method)
  if (views.oidcRequests.size >= MOST_OIDC_REQUESTS)
    throw new Refusal(
      'unavailable',
      `More than ${MOST_OIDC_REQUESTS} OIDC logins wait for their callback: try again later`
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
  const isIts = row && nameKey(row.tenancy, row.request.AuthMethod) === nameKey(tenancy, data.method)
  if (!isIts || at >= row.expiresAt) throw new LoginDenied(GONE, GONE)
  return [oidcRequestClosed(row.tenancy, row.request)]
}

const expire = ({ data, at }: ExpireOidcRequests, views: Views): OidcRequestEvent[] =>
  data.ids.flatMap(id => {
    const row = views.oidcRequests.get(id)
    return row && at >= row.expiresAt ? [oidcRequestClosed(row.tenancy, row.request)] : []
  })

/** @throws LoginDenied for a state that is unknown, of another method, used up or expired; Refusal `unavailable` */
export const decideOidcRequest = (
  command: OidcRequestCommand,
  views: Views,
  index: number
): OidcRequestEvent[] => {
  switch (command.name) {
    case 'OpenOidcRequest':
      return open(command, views, index)
    case 'UseOidcRequest':
      return use(command, views)
    case 'ExpireOidcRequests':
      return expire(command, views)
  }
}
