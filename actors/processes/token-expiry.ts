// When tokens expire.
import { isTokenEvent } from '../../events/token.js'
import { type ExpireTokens, tokenAggregate } from '../token.js'
import type { Expiring } from './expiry.js'

export const tokenExpiry: Expiring<ExpireTokens> = {
  kind: 'token',
  aggregate: tokenAggregate,
  command: (accessors, common) => ({ ...common, name: 'ExpireTokens', data: { accessors } }),
  *all({ tokens }) {
    for (const { token, expiresAt } of tokens.expiring()) yield { key: token.AccessorID, at: expiresAt }
  },
  begunBy: (event, { restore, tokens }) => {
    if (!isTokenEvent(event) || event.Payload.ACLToken.ExpirationTime === undefined) return undefined
    const row = tokens.get(event.Key)
    // An update keeps the expiration, which the creation has scheduled; of a restored token there was none.
    const isNew = row?.token.CreateIndex === row?.token.ModifyIndex || restore.current !== undefined
    return row && isNew && row.expiresAt !== Infinity ? { key: event.Key, at: row.expiresAt } : undefined
  },
  endOf: (accessor, { tokens }) => {
    const end = tokens.get(accessor)?.expiresAt
    return end === Infinity ? undefined : end
  }
}
