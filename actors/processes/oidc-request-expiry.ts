// When OIDC requests whose callback never came expire.
import { isOidcRequestEvent } from '../../events/oidc-request.js'
import { type ExpireOidcRequests, oidcRequestAggregate } from '../oidc-request.js'
import type { Expiring } from './expiry.js'

export const oidcRequestExpiry: Expiring<ExpireOidcRequests> = {
  kind: 'oidc-request',
  aggregate: oidcRequestAggregate,
  command: (ids, common) => ({ ...common, name: 'ExpireOidcRequests', data: { ids } }),
  *all({ oidcRequests }) {
    for (const { request, expiresAt } of oidcRequests.all()) yield { key: request.ID, at: expiresAt }
  },
  begunBy: (event, { oidcRequests }) => {
    if (!isOidcRequestEvent(event) || event.Type !== 'OIDCRequestOpened') return undefined
    const row = oidcRequests.get(event.Key)
    return row && { key: event.Key, at: row.expiresAt }
  },
  endOf: (id, { oidcRequests }) => oidcRequests.get(id)?.expiresAt
}
