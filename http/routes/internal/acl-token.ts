// Whose a secret is, for datacenters that do not replicate the tokens of this one, which is the primary. Asked by their servers only.
import * as Type from 'typebox'
import { Refusal } from '../../../actors/refusal.js'
import { resolveTokenHere } from '../../../projections/acl/token-resolution.js'
import { decryptTokenQuery, encryptTokenResolution, TOKEN_PATH } from './token-resolution-messages.js'
import { sharedKey } from '../../../server/settings/datacenters.js'
import { json, jsonText } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, noToken, type Route } from '../../wire/route.js'

const question = Type.Object(
  { Sealed: Type.Optional(Type.String()), SecretID: Type.Optional(Type.String()) },
  { additionalProperties: false }
)

const denied = (): Refusal =>
  new Refusal(
    'denied',
    'Permission denied: only servers of other datacenters may ask for tokens, with the key of this one (replication.key) or a certificate that it trusts'
  )

/** What there is to tell of a secret, as JSON. */
const resolutionOf = ({ views, now, settings }: RequestContext, secret: string): string => {
  if (settings.datacenter !== settings.primary_datacenter)
    throw new Refusal('invalid', `"${settings.datacenter}" is not the primary datacenter`)
  return JSON.stringify(resolveTokenHere(views, secret, now))
}

export const internalTokenRoutes: readonly Route[] = [
  bodyRoute({
    tag: 'ACL tokens',
    access: noToken,
    tenancy: 'none',
    idempotency: 'nothing written',
    method: 'POST',
    path: TOKEN_PATH,
    operationId: 'readInternalToken',
    summary: 'For servers of other datacenters: a token by its secret, with all that its rights follow from',
    body: { schema: question, name: 'Question' },
    response: Type.Object({}, { description: 'What is told; sealed as the question is' }),
    handle: (request, { Sealed, SecretID }) => {
      const key = sharedKey(request.settings)
      if (Sealed !== undefined && key) {
        const secret = decryptTokenQuery(key, Sealed)
        if (secret === undefined) throw denied()
        return json({ Sealed: encryptTokenResolution(key, resolutionOf(request, secret), Sealed) })
      }
      if (SecretID === undefined || !request.incoming.hasClientCertificate) throw denied()
      return jsonText(resolutionOf(request, SecretID))
    }
  })
]
