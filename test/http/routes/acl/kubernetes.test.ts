// Login of a service account against an API server that checks what it is asked (spec: auth.md §3).
import test from 'ava'
import { ProviderLimits } from '../../../../actors/login/provider-http.js'
import type { TestResponse } from '../../../support/client.js'
import type { Scope } from '../../../support/process.js'
import { serverInProcess, type TestServerOptions } from '../../../support/server.js'
import {
  respondingProvider,
  hangingProvider,
  pem,
  stubProvider,
  type Reply
} from '../../../support/stub-provider.js'

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
const ACCOUNT = '/api/v1/namespaces/shop/serviceaccounts/cart'
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const REVIEWER = `${part({ alg: 'RS256' })}.${part({ sub: 'reviewer' })}.c2ln`
const POD = `${part({ alg: 'RS256' })}.${part({ sub: 'system:serviceaccount:shop:cart' })}.c2ln`

const json = (status: number, value: object): Reply =>
  respondingProvider(status, JSON.stringify(value), 'application/json')
const authenticated = (username = 'system:serviceaccount:shop:cart') => ({
  status: { authenticated: true, user: { username, uid: 'the-uid', groups: ['system:serviceaccounts'] } }
})

const cluster = async (t: Scope, options: TestServerOptions = {}) => {
  const [server, api] = await Promise.all([serverInProcess(t, options), stubProvider(t, { tls: true })])
  const wrong: string[] = []
  const check = (what: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${what}: ${JSON.stringify(found)}`)
  }
  const review = (reply: Reply): void =>
    api.reply(REVIEWS, (call, response) => {
      check('method', call.method, 'POST')
      check('authorization', call.headers.authorization, `Bearer ${REVIEWER}`)
      check('content-type', call.headers['content-type'], 'application/json')
      check('body', JSON.parse(call.body), {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { token: POD }
      })
      if (typeof reply === 'function') reply(call, response)
    })
  const account = (reply: Reply): void =>
    api.reply(ACCOUNT, (call, response) => {
      check('method', call.method, 'GET')
      check('authorization', call.headers.authorization, `Bearer ${REVIEWER}`)
      if (typeof reply === 'function') reply(call, response)
    })
  const Config = { Host: api.issuer, CACert: pem('ca.pem'), ServiceAccountJWT: REVIEWER }
  const put = (config: object = {}): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/auth-method', {
      body: { Name: 'k', Type: 'kubernetes', Config: { ...Config, ...config } }
    })
  const rule = (body: object): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/binding-rule', { body: { AuthMethod: 'k', BindType: 'service', ...body } })
  const login = (BearerToken: unknown = POD): Promise<TestResponse> =>
    server.send('POST', '/v1/acl/login', { token: undefined, body: { AuthMethod: 'k', BearerToken } })
  review(json(201, authenticated()))
  account(json(200, { metadata: { name: 'cart', annotations: {} } }))
  await put()
  await rule({
    BindName: '${serviceaccount.namespace}-${serviceaccount.name}',
    Selector: 'serviceaccount.namespace == shop and serviceaccount.uid == "the-uid"'
  })
  return { server, api, wrong, review, account, put, rule, login }
}

test('the API server is asked with the reviewer’s token who presents a token, and about the account', async t => {
  const { api, wrong, login } = await cluster(t)
  const answer = await login()
  t.is(answer.status, 200, answer.text)
  t.like(JSON.parse(answer.text), { AuthMethod: 'k', ServiceIdentities: [{ ServiceName: 'shop-cart' }] })
  t.deepEqual(wrong, [])
  t.deepEqual(
    api.calls.map(({ method, path }) => `${method} ${path}`),
    [`POST ${REVIEWS}`, `GET ${ACCOUNT}`]
  )
})

test('an annotation of the account stands for its name', async t => {
  const { account, login } = await cluster(t)
  account(json(200, { metadata: { annotations: { 'consul.hashicorp.com/service-name': 'basket' } } }))
  t.like(JSON.parse((await login()).text), { ServiceIdentities: [{ ServiceName: 'shop-basket' }] })
})

test('a token that the API server does not vouch for gives nothing', async t => {
  const { review, login } = await cluster(t)
  for (const status of [
    { authenticated: false },
    { ...authenticated().status, error: 'token expired' },
    { ...authenticated().status, error: { code: 1 } },
    {},
    authenticated('alice').status,
    authenticated('system:node:n:x').status,
    authenticated('system:serviceaccount::cart').status,
    authenticated('system:serviceaccount:a:b:c').status
  ]) {
    review(json(201, { status }))
    const answer = await login()
    t.is(answer.status, 403, JSON.stringify(status))
    t.is(answer.text, 'Permission denied')
  }
})

test('a missing token is 400, without a request to the provider', async t => {
  const { api, login } = await cluster(t)
  for (const token of ['', undefined, 'x', 'a.b', '%%.%%.%%']) t.is((await login(token ?? '')).status, 400)
  t.is(api.calls.length, 0)
})

test('an API server that does not answer as it should is 502 with a text', async t => {
  const { review, account, login } = await cluster(t, {
    register: scope => scope.registerInstance(ProviderLimits, { timeMs: 2000, bytes: 1024 * 1024 })
  })
  const failing: readonly Reply[] = [
    json(401, { kind: 'Status', message: 'Unauthorized' }),
    json(403, { kind: 'Status', message: 'forbidden: reviewer may not create tokenreviews' }),
    respondingProvider(500, 'oops'),
    respondingProvider(200, '<html>', 'text/html'),
    respondingProvider(302, '', 'text/plain', { location: 'https://127.0.0.1:1/' }),
    respondingProvider(200, ' '.repeat(2_000_000), 'application/json'),
    hangingProvider
  ]
  for (const reply of failing) {
    review(reply)
    const answer = await login()
    t.is(answer.status, 502, answer.text)
    t.regex(answer.text, /lookup failed|did not answer/)
    t.false(answer.text.includes(REVIEWER))
  }
  review(json(201, authenticated()))
  account(json(404, { kind: 'Status', message: 'serviceaccounts "cart" not found' }))
  const answer = await login()
  t.is(answer.status, 502)
  t.regex(answer.text, /annotation lookup failed: .*404/)
})

test('an API server that is down, or signed by another CA, is 502', async t => {
  const { api, put, login } = await cluster(t)
  await put({ CACert: pem('other-ca.pem') })
  t.is((await login()).status, 502)
  await put()
  t.is((await login()).status, 200)
  await api.close()
  t.is((await login()).status, 502)
})

test('rules know the account and nothing else', async t => {
  const { rule } = await cluster(t)
  t.is((await rule({ BindName: '${serviceaccount.uid}' })).status, 200)
  t.is((await rule({ BindName: 'x', Selector: 'value.a == b' })).status, 400)
  t.is((await rule({ BindName: '${value.a}' })).status, 400)
  t.is((await rule({ BindName: 'x', Selector: 'serviceaccount is empty' })).status, 400)
})

test('the reviewer’s token is hidden from who may only read', async t => {
  const { server } = await cluster(t)
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'reader', Rules: 'acl = "read"' } })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'reader' }] } })
  const read = await server.send('GET', '/v1/acl/auth-method/k', { token: JSON.parse(made.text).SecretID })
  t.is(read.status, 200)
  t.is(JSON.parse(read.text).Config.ServiceAccountJWT, '<hidden>')
})
