// Malformed durations are rejected with the same text everywhere, naming the field.
import test from 'ava'
import { serverInProcess } from '../../support/server.js'

const bodies: readonly (readonly [string, string, object, string])[] = [
  ['PUT', '/v1/agent/check/register', { Name: 'up', TTL: 'nope' }, 'TTL'],
  ['PUT', '/v1/agent/check/register', { Name: 'up', TCP: 'a:1', Interval: 'nope' }, 'Interval'],
  ['PUT', '/v1/agent/check/register', { Name: 'up', TCP: 'a:1', Interval: '1s', Timeout: 'nope' }, 'Timeout'],
  [
    'PUT',
    '/v1/agent/service/register',
    { Name: 'web', Check: { TTL: '1s', DeregisterCriticalServiceAfter: 'nope' } },
    'DeregisterCriticalServiceAfter'
  ],
  [
    'PUT',
    '/v1/catalog/register',
    { Node: 'n', Address: '192.0.2.1', Check: { Name: 'up', Definition: { Interval: 'nope' } } },
    'Interval'
  ],
  ['PUT', '/v1/session/create', { LockDelay: 'nope' }, 'LockDelay'],
  ['PUT', '/v1/session/create', { TTL: 'nope' }, 'TTL'],
  ['PUT', '/v1/acl/token', { ExpirationTTL: 'nope' }, 'ExpirationTTL'],
  ['PUT', '/v1/acl/auth-method', { Name: 'm', Type: 'jwt', MaxTokenTTL: 'nope' }, 'MaxTokenTTL'],
  ['POST', '/v1/query', { Name: 'q', Service: { Service: 'web' }, DNS: { TTL: 'nope' } }, 'TTL'],
  ['PUT', '/v1/config', { Kind: 'service-resolver', Name: 'web', ConnectTimeout: 'nope' }, 'ConnectTimeout'],
  ['POST', '/v1/discovery-chain/web', { OverrideConnectTimeout: 'nope' }, 'OverrideConnectTimeout']
]

test('a malformed duration is rejected with its field', async t => {
  const server = await serverInProcess(t)
  for (const [method, path, body, field] of bodies) {
    const { status, text } = await server.send(method, path, { body })
    t.is(status, 400, `${path}: ${text}`)
    t.true(text.includes('invalid duration "nope"'), `${path}: ${text}`)
    t.true(text.includes(field), `${path}: ${text}`)
  }
  for (const query of ['index=1&wait=nope', 'max_stale=nope']) {
    const { status, text } = await server.send('GET', `/v1/catalog/nodes?${query}`)
    t.is(status, 400)
    t.regex(text, /^Invalid (wait|max_stale).*invalid duration "nope"/)
  }
})
