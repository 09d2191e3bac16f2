import type { Event } from './envelope.js'

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
interface OidcRequestPayload {
  readonly OIDCRequest: OidcRequest
}
export type OidcRequestOpened = Event<typeof OIDC_REQUEST_TOPIC, 'OIDCRequestOpened', OidcRequestPayload>
/** The request was used, has expired, or its auth method was deleted. */
type OidcRequestClosed = Event<typeof OIDC_REQUEST_TOPIC, 'OIDCRequestClosed', OidcRequestPayload>
export type OidcRequestEvent = OidcRequestOpened | OidcRequestClosed

export const isOidcRequestEvent = (event: Event): event is OidcRequestEvent =>
  event.Topic === OIDC_REQUEST_TOPIC
