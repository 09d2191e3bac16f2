import { resourceEvents, type EventOf } from './envelope.js'

/** The event's `Secrets` hold state, nonce, code verifier and client nonce. */
export interface OidcRequest {
  readonly ID: string
  /** Name of the auth method, as it is stored. */
  readonly AuthMethod: string
  readonly RedirectURI: string
  readonly Meta: Readonly<Record<string, string>>
  /** RFC 3339, UTC; the request is invalid from then on. */
  readonly ExpirationTime: string
  readonly CreateIndex: number
}

/** Secrets in the first event of a request. */
export interface OidcSecrets {
  readonly State: string
  readonly Nonce: string
  readonly CodeVerifier: string
  /** Empty if the client sent none. */
  readonly ClientNonce: string
}

export const OIDC_REQUEST_TOPIC = 'OIDCRequest'
/** `OIDCRequestClosed`: the request was used, has expired, or its auth method was deleted. */
export const oidcRequestEvents = resourceEvents({
  topic: OIDC_REQUEST_TOPIC,
  types: ['OIDCRequestOpened', 'OIDCRequestClosed'],
  payloadOf: (request: OidcRequest) => ({ OIDCRequest: request }),
  keyOf: ({ OIDCRequest }) => OIDCRequest.ID,
  filterKeysOf: ({ OIDCRequest }) => [OIDCRequest.AuthMethod]
})
export type OidcRequestEvent = EventOf<typeof oidcRequestEvents>
export const isOidcRequestEvent = oidcRequestEvents.is
