// Makes the events of auth methods. Secrets of Config travel apart from the payload.
import {
  AUTH_METHOD_TOPIC,
  redacted,
  secretsOf,
  type AuthMethod,
  type AuthMethodDeleted,
  type AuthMethodUpserted
} from '../../events/auth-method.js'
import type { Tenancy } from '../../events/envelope.js'
import { makeEvent } from '../make-event.js'

export const authMethodUpserted = (tenancy: Tenancy, method: AuthMethod): AuthMethodUpserted => {
  const secrets = secretsOf(method)
  return makeEvent({
    Topic: AUTH_METHOD_TOPIC,
    Type: 'ACLAuthMethodUpserted',
    Key: method.Name,
    tenancy,
    FilterKeys: [method.Type],
    Payload: { AuthMethod: redacted(method) },
    ...(Object.keys(secrets).length > 0 ? { Secrets: secrets } : {})
  })
}

export const authMethodDeleted = (tenancy: Tenancy, method: AuthMethod): AuthMethodDeleted =>
  makeEvent({
    Topic: AUTH_METHOD_TOPIC,
    Type: 'ACLAuthMethodDeleted',
    Key: method.Name,
    tenancy,
    FilterKeys: [method.Type],
    Payload: { AuthMethod: redacted(method) }
  })
