// Decisions on pending OIDC requests (spec: auth.md §10.2).
import test from 'ava'
import { OIDC_REQUEST_LIFE_MS, oidcRequestAggregate, oidcRequestOpened } from '../../actors/oidc-request.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import { COMMAND_TIME, command, given } from '../support/decision-spec.js'
import { authMethodFixture } from './login/login-resources.js'
import { id } from './acl-resources.js'

const secrets = {
  State: 'the-state',
  Nonce: 'the-nonce',
  CodeVerifier: 'the-verifier',
  ClientNonce: 'the-client'
}
const pending = (): Event =>
  oidcRequestOpened(
    DEFAULT_TENANCY,
    {
      ID: id(1),
      AuthMethod: 'm',
      RedirectURI: 'http://localhost/cb',
      Meta: {},
      ExpirationTime: formatTime(COMMAND_TIME + OIDC_REQUEST_LIFE_MS),
      CreateIndex: 2
    },
    secrets
  )
const use = (state: string, at = COMMAND_TIME, method = 'M') =>
  command('UseOidcRequest', { state, method }, { at })

test('a request is kept for ten minutes, its secrets apart', t => {
  const open = command('OpenOidcRequest', {
    newId: id(1),
    method: 'm',
    redirectUri: 'http://localhost/cb',
    meta: { k: 'v' },
    ...secrets
  })
  const outcome = given(authMethodFixture('m')).when(oidcRequestAggregate, open)
  const OIDCRequest = {
    AuthMethod: 'm',
    RedirectURI: 'http://localhost/cb',
    Meta: { k: 'v' },
    ExpirationTime: '2026-01-01T00:10:00Z'
  }
  outcome.gives(t, [`OIDCRequestOpened ${id(1)}`, { OIDCRequest }])
  const [event] = outcome.events()
  t.deepEqual(event?.Secrets, secrets)
  t.notRegex(JSON.stringify({ ...event, Secrets: undefined }), /the-/)
  given()
    .when(oidcRequestAggregate, open)
    .refuses(t, 'acl.auth-method.not-found', /auth method "m" not found/)
})

test('a state serves once, for its method, in its time', t => {
  const EXPIRED = /Expired or missing OAuth state/
  given(pending())
    .when(oidcRequestAggregate, use('the-state'))
    .gives(t, `OIDCRequestClosed ${id(1)}`)
  given(pending())
    .when(oidcRequestAggregate, use('the-state', COMMAND_TIME + OIDC_REQUEST_LIFE_MS - 1))
    .gives(t, `OIDCRequestClosed ${id(1)}`)
  given(pending())
    .when(oidcRequestAggregate, use('the-state', COMMAND_TIME + OIDC_REQUEST_LIFE_MS))
    .refuses(t, 'acl.login.denied', EXPIRED)
  given(pending())
    .when(oidcRequestAggregate, use('the-state', COMMAND_TIME, 'other'))
    .refuses(t, 'acl.login.denied', EXPIRED)
  given(pending()).when(oidcRequestAggregate, use('')).refuses(t, 'acl.login.denied', EXPIRED)
  given().when(oidcRequestAggregate, use('the-state')).refuses(t, 'acl.login.denied', EXPIRED)
})

test('what has expired is swept, and nothing else', t => {
  const sweep = (at: number) => command('ExpireOidcRequests', { ids: [id(1), id(2)] }, { at })
  given(pending()).when(oidcRequestAggregate, sweep(COMMAND_TIME)).gives(t)
  given(pending())
    .when(oidcRequestAggregate, sweep(COMMAND_TIME + OIDC_REQUEST_LIFE_MS))
    .gives(t, `OIDCRequestClosed ${id(1)}`)
})
