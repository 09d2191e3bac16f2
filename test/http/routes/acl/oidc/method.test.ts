// Auth methods of type oidc, and the URL that begins a login (spec: oidc-cases.md §1, §2, §7).
import test from 'ava'
import { respondingProvider, pem, stubProvider } from '../../../../support/stub-provider.js'
import { serverInProcess } from '../../../../support/server.js'
import { field, methodBody, oidc, REDIRECT } from './support.js'

test('a method is kept as it was given, and its secret is seen by acl:write alone', async t => {
  const { server, provider, put } = await oidc(t)
  const { Config } = methodBody(provider.issuer)
  const made = await put()
  t.like(JSON.parse(made.text), { Type: 'oidc', MaxTokenTTL: '5m0s', Config })
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'reader', Rules: 'acl = "read"' } })
  const reader = field(
    await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'reader' }] } }),
    'SecretID'
  )
  const read = (token?: string) =>
    server.send('GET', '/v1/acl/auth-method/m', token === undefined ? {} : { token })
  t.like(JSON.parse((await read()).text), { Config })
  const hidden = await read(String(reader))
  t.like(JSON.parse(hidden.text), { Config: { ...Config, OIDCClientSecret: '<hidden>' } })
  // What was read hidden can be written back, and stays.
  await server.send('PUT', '/v1/acl/auth-method', { body: JSON.parse(hidden.text) })
  t.like(JSON.parse((await read()).text), { Config })
  const listed = await server.send('GET', '/v1/acl/auth-methods')
  t.false(listed.text.includes('Config'))
  t.false(listed.text.includes('secret'))
})

const without = (key: string) => ({ [key]: undefined })
const INVALID = [
  ...['OIDCDiscoveryURL', 'OIDCClientID', 'OIDCClientSecret', 'AllowedRedirectURIs'].flatMap(key => [
    [`no ${key}`, without(key), `'${key}' must be set for type "oidc"`] as const,
    [
      `an empty ${key}`,
      { [key]: key.startsWith('A') ? [] : '' },
      `'${key}' must be set for type "oidc"`
    ] as const
  ]),
  ['a redirect that is none', { AllowedRedirectURIs: ['%%%%'] }, 'Invalid AllowedRedirectURIs provided'],
  ...[
    { JWKSURL: 'http://x' },
    { JWKSCACert: 'x' },
    { JWTValidationPubKeys: ['x'] },
    { BoundIssuer: 'x' },
    { ExpirationLeeway: 1 },
    { NotBeforeLeeway: 1 },
    { ClockSkewLeeway: 1 }
  ].map(
    given =>
      [
        `${Object.keys(given)[0]}`,
        given,
        `'${Object.keys(given)[0]}' must not be set for type "oidc"`
      ] as const
  ),
  ['HS256', { JWTSupportedAlgs: ['HS256'] }, 'Invalid supported algorithm'],
  ['EdDSA', { JWTSupportedAlgs: ['EdDSA'] }, 'Invalid supported algorithm'],
  ['two claims to one name', { ClaimMappings: { a: 'x', b: 'x' } }, 'multiple mappings'],
  ['two list claims to one name', { ListClaimMappings: { a: 'x', b: 'x' } }, 'multiple mappings'],
  ['an unreachable provider', { OIDCDiscoveryURL: 'http://127.0.0.1:1' }, 'error checking OIDCDiscoveryURL'],
  ['a CA that is none', { OIDCDiscoveryCACert: 'x' }, 'OIDCDiscoveryCACert'],
  ['an unknown key', { Foo: 1 }, 'has invalid keys: Foo']
] as const

test('a method with an invalid field is refused with its name', async t => {
  const { server, put } = await oidc(t)
  for (const [what, config, text] of INVALID) {
    const answer = await put(config, { Name: 'new' })
    t.is(answer.status, 400, what)
    t.true(answer.text.includes(text), `${what}: ${answer.text}`)
    t.is((await server.send('GET', '/v1/acl/auth-method/new')).status, 404, what)
  }
})

test('a method must end its tokens, and keeps its type', async t => {
  const { put } = await oidc(t)
  t.is((await put({}, { Name: 'new', MaxTokenTTL: '0s' })).status, 400)
  t.is((await put({}, { Name: 'new', MaxTokenTTL: undefined })).status, 400)
  t.is(field(await put({}, { Type: undefined }), 'Type'), 'oidc')
  t.regex((await put({}, { Type: 'jwt' })).text, /immutable/)
})

test('a provider that describes itself wrongly is refused', async t => {
  const { provider, put } = await oidc(t)
  const slash = await put({ OIDCDiscoveryURL: `${provider.issuer}/` }, { Name: 'new' })
  t.is(slash.status, 400)
  t.true(slash.text.includes(`expected "${provider.issuer}/" got "${provider.issuer}"`), slash.text)
  for (const reply of [
    respondingProvider(500, 'oops'),
    respondingProvider(200, '<html>', 'text/html'),
    respondingProvider(302, '', 'text/plain', { location: 'http://127.0.0.1:1/' }),
    respondingProvider(200, JSON.stringify({ pad: 'x'.repeat(2_000_000) }), 'application/json'),
    { issuer: 'https://other.example', jwks_uri: `${provider.issuer}/jwks` },
    { issuer: provider.issuer }
  ]) {
    provider.reply('/.well-known/openid-configuration', reply)
    const answer = await put({}, { Name: 'new' })
    t.is(answer.status, 400)
    t.regex(answer.text, /error checking OIDCDiscoveryURL/)
  }
})

test('a provider must name the endpoints of a login by URLs of http or https', async t => {
  const { provider, put } = await oidc(t)
  const { issuer } = provider
  const endpoints = {
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`
  }
  for (const name of Object.keys(endpoints))
    for (const endpoint of [undefined, 5, '/relative', 'javascript:alert(1)']) {
      provider.reply('/.well-known/openid-configuration', { issuer, ...endpoints, [name]: endpoint })
      const answer = await put({}, { Name: 'new' })
      t.is(answer.status, 400, `${name}: ${endpoint}`)
      t.true(answer.text.includes(`"${name}" is not a URL of http or https`), answer.text)
    }
})

test('a login fails with a text when the provider lost an endpoint after the method was stored', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const { issuer } = provider
  await server.send('PUT', '/v1/acl/auth-method', { body: methodBody(issuer) })
  provider.reply('/.well-known/openid-configuration', { issuer, jwks_uri: `${issuer}/jwks` })
  const body = { AuthMethod: 'm', RedirectURI: REDIRECT }
  const answer = await server.send('POST', '/v1/acl/oidc/auth-url', { token: undefined, body })
  t.is(answer.status, 502, answer.text)
  t.regex(answer.text, /"authorization_endpoint" is not a URL/)
})

test('the CA of a method is the one that its provider must be signed by', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t, { tls: true })])
  const put = (config: object) =>
    server.send('PUT', '/v1/acl/auth-method', { body: methodBody(provider.issuer, config) })
  t.is((await put({})).status, 400)
  t.is((await put({ OIDCDiscoveryCACert: pem('other-ca.pem') })).status, 400)
  const answer = await put({ OIDCDiscoveryCACert: pem('ca.pem') })
  t.is(answer.status, 200, answer.text)
})

test('rules of the method know its claims and nothing else', async t => {
  const { rule } = await oidc(t)
  t.is((await rule({ Selector: 'value.unmapped == x' })).status, 200)
  t.is((await rule({ Selector: 'serviceaccount.name == x' })).status, 400)
  t.is((await rule({ BindName: '${list.groups}' })).status, 400)
})

test('the URL asks for a code with PKCE, a state and a nonce of its own', async t => {
  const { server, provider, put, begin } = await oidc(t)
  const { url, state, nonce } = await begin({ ClientNonce: 'secret-nonce', Meta: { k: 'secret-meta' } })
  t.is(url.origin + url.pathname, `${provider.issuer}/authorize`)
  t.like(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: 'basic',
    redirect_uri: REDIRECT,
    scope: 'openid',
    code_challenge_method: 'S256'
  })
  t.regex(state, /^[0-9a-f]{40}$/)
  t.regex(nonce, /^[0-9a-f]{40}$/)
  t.not(state, nonce)
  t.regex(url.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
  t.false(url.searchParams.has('acr_values'))
  t.notRegex(url.href, /secret/)
  const other = await begin()
  t.not(other.state, state)
  t.not(other.nonce, nonce)
  await put({ OIDCScopes: ['openid', 'profile', 'email'], OIDCACRValues: ['a1', 'a2'] })
  const more = await begin()
  t.is(more.url.searchParams.get('scope'), 'openid profile email')
  t.is(more.url.searchParams.get('acr_values'), 'a1 a2')
  const token = await server.send('POST', '/v1/acl/oidc/auth-url', {
    token: 'unknown',
    body: { AuthMethod: 'm', RedirectURI: REDIRECT }
  })
  t.is(token.status, 200)
  t.deepEqual(Object.keys(JSON.parse(token.text)), ['AuthURL'])
})

test('an authorization endpoint with a query keeps it', async t => {
  const { provider, put, begin } = await oidc(t)
  const { issuer } = provider
  provider.reply('/.well-known/openid-configuration', {
    issuer,
    authorization_endpoint: `${issuer}/authorize?tenant=t`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`
  })
  await put()
  const { url } = await begin()
  t.is(url.searchParams.get('tenant'), 't')
  t.is(url.searchParams.get('response_type'), 'code')
})

const ALLOWED = [
  REDIRECT,
  'http://127.0.0.1:9999/oidc/callback',
  'http://127.0.0.1/oidc/callback',
  'HTTP://127.0.0.1:8550/oidc/callback',
  'https://app.example/cb'
]
const REFUSED = [
  'http://127.0.0.1:8550/oidc/./callback',
  'http://127.0.0.1:8550/oidc\\callback',
  'http://127.0.0.1:8550/oidc/%63allback',
  'http://127.0.0.1:8550/oidc/call\nback',
  'http://localhost:8550/oidc/callback',
  'http://[::1]:8550/oidc/callback',
  'http://127.0.0.2:8550/oidc/callback',
  'http://127.1:8550/oidc/callback',
  'https://127.0.0.1:8550/oidc/callback',
  `${REDIRECT}/`,
  'http://127.0.0.1:8550/other',
  'http://127.0.0.1:8550/oidc/Callback',
  `${REDIRECT}?x=1`,
  `${REDIRECT}#f`,
  'http://user@127.0.0.1:8550/oidc/callback',
  'http://127.0.0.1:8550@evil.example/oidc/callback',
  'https://app.example:443/cb',
  'https://APP.example/cb',
  'https://app.example/cb/',
  'https://app.example/cb?x',
  '%%%'
]

test('a redirect must be an allowed one, on a loopback host with any port', async t => {
  const { server, put } = await oidc(t)
  const ask = (RedirectURI: unknown) =>
    server.send('POST', '/v1/acl/oidc/auth-url', { token: undefined, body: { AuthMethod: 'm', RedirectURI } })
  for (const uri of ALLOWED) t.is((await ask(uri)).status, 200, uri)
  for (const uri of REFUSED) {
    const answer = await ask(uri)
    t.is(answer.status, 400, uri)
    t.is(answer.text, `unauthorized redirect_uri: ${uri}`)
  }
  for (const uri of ['', undefined]) t.regex((await ask(uri)).text, /missing redirect_uri/)
  await put({ AllowedRedirectURIs: ['http://localhost:1/x', 'http://[::1]:1/x'] })
  t.is((await ask('http://localhost:77/x')).status, 200)
  t.is((await ask('http://[::1]:77/x')).status, 200)
  t.is((await ask('http://127.0.0.1:1/x')).status, 400)
  t.is((await ask('http://LOCALHOST:1/x')).status, 400)
})

test('what is no request for a URL or a callback is refused', async t => {
  const { server } = await oidc(t)
  const key = { JWTValidationPubKeys: [pem('ca.pem')] }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'j', Type: 'jwt', Config: key } })
  for (const [path, fields] of [
    ['/v1/acl/oidc/auth-url', { RedirectURI: REDIRECT }],
    ['/v1/acl/oidc/callback', { State: 's', Code: 'c' }]
  ] as const) {
    const ask = (body: unknown, query = '') =>
      server.send('POST', path + query, { token: undefined, ...(body === undefined ? {} : { body }) })
    for (const AuthMethod of ['none', '', undefined]) {
      const answer = await ask({ AuthMethod, ...fields })
      t.is(answer.status, 403)
      t.regex(answer.text, /auth method ".*" not found/)
    }
    t.is((await ask({ AuthMethod: 'j', ...fields })).status, 400)
    for (const body of [
      undefined,
      [],
      { AuthMethod: 'm', Meta: ['x'] },
      { AuthMethod: 'm', Meta: { a: 1 } },
      { Foo: 1 }
    ])
      t.is((await ask(body)).status, 400, JSON.stringify(body))
    t.regex((await ask({ AuthMethod: 'm' }, '?dc=nowhere')).text, /No path to datacenter/)
    for (const method of ['GET', 'PUT', 'DELETE']) t.is((await server.send(method, path)).status, 405)
  }
  const login = await server.send('POST', '/v1/acl/login', {
    body: { AuthMethod: 'm', BearerToken: 'a.b.c' }
  })
  t.is(login.status, 400)
  t.regex(login.text, /incompatible with type "oidc"/)
})

test('with ACLs off there is no OIDC', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  for (const path of ['auth-url', 'callback'])
    t.is((await server.send('POST', `/v1/acl/oidc/${path}`, { body: {} })).status, 401)
})

test('a provider that died serves from what is known of it, or the answer is 502', async t => {
  const { server, provider, begin } = await oidc(t)
  await begin()
  await provider.close()
  await t.notThrowsAsync(begin())
  const other = await oidc(t)
  await other.provider.close()
  const answer = await other.server.send('POST', '/v1/acl/oidc/auth-url', {
    body: { AuthMethod: 'm', RedirectURI: REDIRECT }
  })
  t.is(answer.status, 502)
  t.regex(answer.text, /OIDC provider/)
  t.truthy(server)
})

test('a method of a namespace is found there alone, whichever way the namespace is named', async t => {
  const { server, provider, give, callback } = await oidc(t)
  const ok = await server.send('PUT', '/v1/namespace', { body: { Name: 'ns1' } })
  t.is(ok.status, 200, ok.text)
  const put = (path: string, body: object) =>
    server.send('PUT', path, { body: { ...body, Namespace: 'ns1' } })
  t.is((await put('/v1/acl/auth-method', methodBody(provider.issuer, {}, { Name: 'n' }))).status, 200)
  t.is(
    (await put('/v1/acl/binding-rule', { AuthMethod: 'n', BindType: 'service', BindName: 'web' })).status,
    200
  )
  const urlWith = (query: string, headers: Record<string, string>, body: object) =>
    server.send('POST', `/v1/acl/oidc/auth-url${query}`, {
      token: undefined,
      headers,
      body: { AuthMethod: 'n', RedirectURI: REDIRECT, ...body }
    })
  const ways: readonly [string, Record<string, string>, object][] = [
    ['?ns=ns1', {}, {}],
    ['', { 'x-service-namespace': 'ns1' }, {}],
    ['?ns=default', {}, { Namespace: 'ns1' }]
  ]
  for (const way of ways) {
    const { searchParams } = new URL(String(field(await urlWith(...way), 'AuthURL')))
    await give({ nonce: searchParams.get('nonce') })
    const State = searchParams.get('state')
    t.is((await callback({ AuthMethod: 'n', State })).status, 403)
    const [query, headers, body] = way
    const answer = await server.send('POST', `/v1/acl/oidc/callback${query}`, {
      token: undefined,
      headers,
      body: { AuthMethod: 'n', State, Code: 'code', ...body }
    })
    t.is(answer.status, 200, answer.text)
    t.is(field(answer, 'Namespace'), 'ns1')
  }
})

test('a namespace rule says where the token is made', async t => {
  const { server, put, login } = await oidc(t)
  await put({}, { NamespaceRules: [{ Selector: 'value.dept == Eng', BindNamespace: 'ns-${value.dept}' }] })
  t.is((await login({ dept: 'Eng' })).status, 403)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'ns-eng' } })
  const answer = await login({ dept: 'Eng' })
  t.is(answer.status, 200, answer.text)
  t.like(JSON.parse(answer.text), { Namespace: 'ns-eng', AuthMethodNamespace: 'default' })
  t.is(field(await login({ dept: 'Ops' }), 'Namespace'), undefined)
  await server.send('DELETE', '/v1/acl/auth-method/m')
  t.is((await server.send('GET', '/v1/acl/tokens?ns=ns-eng')).text, '[]')
})
