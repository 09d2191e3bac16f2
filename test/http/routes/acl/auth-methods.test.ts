// Reads of auth methods and binding rules that are not there, and bodies of logins (spec: auth.md §1.1, §5.1, §8).
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'
import { indexOf } from '../../support.js'

const method = { Name: 'm', Type: 'jwt', Config: { JWTValidationPubKeys: [pem('ca.pem')] } }
const rule = { AuthMethod: 'm', BindType: 'service', BindName: 'web' }
const UNKNOWN = '/v1/acl/binding-rule/3f29e2d0-1111-4000-8000-000000000000'

test('a method and a rule that are not there are 404 with the headers of a read', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/acl/auth-method', { body: method })
  const made = indexOf(await server.send('PUT', '/v1/acl/binding-rule', { body: rule }))
  for (const [path, index] of [
    ['/v1/acl/auth-method/none', made - 1],
    [UNKNOWN, made]
  ] as const) {
    const { status, text, headers } = await server.send('GET', path)
    t.is(status, 404)
    t.not(text, '')
    t.is(Number(headers['x-service-index']), index)
    t.is(headers['x-service-knownleader'], 'true')
    t.is(headers['x-service-lastcontact'], '0')
    t.is((await server.send('GET', path, { token: undefined })).status, 403)
  }
})

test('who waits for a method that is not there is woken when it is made, and not by rules', async t => {
  const server = await serverInProcess(t)
  const first = indexOf(await server.send('PUT', '/v1/acl/auth-method', { body: method }))
  let isAnswered = false
  const waiting = server.send('GET', `/v1/acl/auth-method/later?index=${first}&wait=20s`).then(answer => {
    isAnswered = true
    return answer
  })
  await server.send('PUT', '/v1/acl/binding-rule', { body: rule })
  t.false(isAnswered)
  await server.send('PUT', '/v1/acl/auth-method', { body: { ...method, Name: 'later' } })
  const { status, text } = await waiting
  t.is(status, 200)
  t.is(JSON.parse(text).Name, 'later')
})

test('null is no login', async t => {
  const server = await serverInProcess(t)
  t.like(await server.send('POST', '/v1/acl/login', { token: undefined, body: 'null' }), {
    status: 400,
    text: 'Invalid Login request: Missing auth parameters'
  })
})
