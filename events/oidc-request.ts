// OIDC logins that have begun and wait for the provider's answer: what is kept of one, and the events of its life.
import type { Event } from './envelope.js'

/** A pending request. State, nonce, code verifier and client nonce travel in the event's `Secrets`. */
export interface OidcRequest {
  readonly ID: string
  /** Name of the auth method, as it is stored. */
  readonly AuthMethod: string
  readonly RedirectURI: string
  readonly Meta: Readonly<Record<string, string>>
  /** RFC 3339, UTC; from then on the request is as if it had never been. */
  readonly ExpirationTime: string
  readonly CreateIndex: number
}

/** The secrets of a pending request, as its first event bears them. */
export interface OidcSecrets {
  readonly State: string
  readonly Nonce: string
  readonly CodeVerifier: string
  /** Empty when the client gave none. */
  readonly ClientNonce: string
}

export const OIDC_REQUEST_TOPIC = 'OIDCRequest'
interface OidcRequestPayload {
  readonly OIDCRequest: OidcRequest
}
export type OidcRequestOpened = Event<typeof OIDC_REQUEST_TOPIC, 'OIDCRequestOpened', OidcRequestPayload>
/** It was used, has expired, or its auth method is gone. */
export type OidcRequestClosed = Event<typeof OIDC_REQUEST_TOPIC, 'OIDCRequestClosed', OidcRequestPayload>
export type OidcRequestEvent = OidcRequestOpened | OidcRequestClosed

/** Tells a request's events from others; what the log holds under this topic was written by us. */
export const isOidcRequestEvent = (event: Event): event is OidcRequestEvent =>
  event.Topic === OIDC_REQUEST_TOPIC
