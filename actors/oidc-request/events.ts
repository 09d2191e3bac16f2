// Makes the events of pending OIDC requests.
import type { Tenancy } from '../../events/envelope.js'
import {
  OIDC_REQUEST_TOPIC,
  type OidcRequest,
  type OidcRequestClosed,
  type OidcRequestOpened,
  type OidcSecrets
} from '../../events/oidc-request.js'
import { makeEvent } from '../make-event.js'

export const oidcRequestOpened = (
  tenancy: Tenancy,
  request: OidcRequest,
  { State, Nonce, CodeVerifier, ClientNonce }: OidcSecrets
): OidcRequestOpened =>
  makeEvent({
    Topic: OIDC_REQUEST_TOPIC,
    Type: 'OIDCRequestOpened',
    Key: request.ID,
    tenancy,
    FilterKeys: [request.AuthMethod],
    Payload: { OIDCRequest: request },
    Secrets: { State, Nonce, CodeVerifier, ClientNonce }
  })

export const oidcRequestClosed = (tenancy: Tenancy, request: OidcRequest): OidcRequestClosed =>
  makeEvent({
    Topic: OIDC_REQUEST_TOPIC,
    Type: 'OIDCRequestClosed',
    Key: request.ID,
    tenancy,
    FilterKeys: [request.AuthMethod],
    Payload: { OIDCRequest: request }
  })
