// Token resolution for datacenters that do not replicate the primary's tokens. Only their servers may call it.
import * as Type from 'typebox'
import { Refusal } from '../../../actors/refusal.js'
import { resolveTokenHere } from '../../../projections/acl/token-resolution.js'
import { sharedKey } from '../../../server/settings/datacenters.js'
import { json, jsonText } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, noToken, type Route } from '../../wire/route.js'
import { decryptText, encryptText } from '../../wire/text-encryption.js'

export const TOKEN_PATH = '/v1/internal/acl/token'

const QUERY_CONTEXT = 'annals: whose is this token?'
/** Binds a response to its request. */
const responseContext = (query: string): string => `annals: the token that was asked about\n${query}`

export const encryptTokenQuery = (key: Uint8Array, secret: string): string =>
  encryptText(key, secret, QUERY_CONTEXT)

/** Returns the secret; undefined unless the sender has the key. */
const decryptTokenQuery = (key: Uint8Array, query: string): string | undefined =>
  decryptText(key, query, QUERY_CONTEXT)

export const encryptTokenResolution = (key: Uint8Array, resolution: string, query: string): string =>
  encryptText(key, resolution, responseContext(query))

export const decryptTokenResolution = (
  key: Uint8Array,
  resolution: string,
  query: string
): string | undefined => decryptText(key, resolution, responseContext(query))

const query = Type.Object(
  { Sealed: Type.Optional(Type.String()), SecretID: Type.Optional(Type.String()) },
  { additionalProperties: false }
)

const denied = (): Refusal =>
  new Refusal(
    'cluster.denied',
    'Permission denied: only servers of other datacenters may resolve tokens, with the key of this one (replication.key) or a certificate that it trusts'
  )

/** Returns the token resolution as JSON. */
const resolutionOf = ({ views, now, settings }: RequestContext, secret: string): string => {
  if (settings.datacenter !== settings.primary_datacenter)
    throw new Refusal('cluster.invalid', `"${settings.datacenter}" is not the primary datacenter`)
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
    summary: 'For servers of other datacenters: resolve a token by its secret, with its permissions',
    body: { schema: query, name: 'Question' },
    response: Type.Object({}, { description: 'The token resolution, encrypted if the request is' }),
    handle: (request, { Sealed, SecretID }) => {
      const key = sharedKey(request.settings)
      if (Sealed !== undefined && key) {
        const secret = decryptTokenQuery(key, Sealed)
        if (secret === undefined) throw denied()
        return json({ Sealed: encryptTokenResolution(key, resolutionOf(request, secret), Sealed) })
      }
      if (SecretID === undefined || !request.hasClientCertificate) throw denied()
      return jsonText(resolutionOf(request, SecretID))
    }
  })
]
