// When answers about ACL resources contain `Namespace: "default"` (spec: tenancy.md §8, decisions.md 22 and 44).
import test from 'ava'
import type { TestResponse } from '../../support/client.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { makeNamespaces } from '../tenancy/support.js'
import { RULE } from '../tenancy/endpoint-table.js'
import { credential, METHOD } from '../tenancy/tenants.js'

interface Shown {
  readonly ID?: string
  readonly AccessorID?: string
  readonly Namespace?: string
}

interface Kind {
  readonly create: string
  readonly list: string
  readonly body: object
  /** Returns the path of a resource. */
  readonly one: (made: Shown) => string
}

const KINDS: readonly Kind[] = [
  { create: 'token', list: 'tokens', body: {}, one: ({ AccessorID = '' }) => `token/${AccessorID}` },
  { create: 'policy', list: 'policies', body: { Name: 'p' }, one: ({ ID = '' }) => `policy/${ID}` },
  { create: 'role', list: 'roles', body: { Name: 'r' }, one: ({ ID = '' }) => `role/${ID}` },
  {
    create: 'auth-method',
    list: 'auth-methods',
    body: METHOD,
    one: () => 'auth-method/m'
  },
  { create: 'binding-rule', list: 'binding-rules', body: RULE, one: ({ ID = '' }) => `binding-rule/${ID}` }
]

interface Naming {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** What responses about a resource of `default` then contain. */
  readonly says: string | undefined
}

const NAMINGS: readonly Naming[] = [
  { says: undefined },
  { query: 'ns=default', says: 'default' },
  { query: 'ns=Default', says: 'default' },
  { query: 'namespace=default', says: 'default' },
  { headers: { 'x-service-namespace': 'default' }, says: 'default' },
  { headers: { 'x-consul-namespace': 'default' }, says: 'default' },
  { query: 'partition=default', says: undefined },
  { query: 'ns=', says: undefined }
]

const shown = ({ status, text }: TestResponse): Shown => {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

const asker =
  (server: TestServer, { query = '', headers, body }: Naming) =>
  (method: string, path: string, given?: object) =>
    server.send(method, `/v1/acl/${path}${query === '' ? '' : `?${query}`}`, {
      ...(headers ? { headers } : {}),
      ...(given ? { body: { ...given, ...body } } : {})
    })

test('resources and lists of default say so where the request does', async t => {
  const server = await serverInProcess(t)
  const plainly = asker(server, { says: undefined })
  for (const kind of KINDS) {
    if (kind.create === 'binding-rule') await plainly('PUT', 'auth-method', METHOD)
    const made = shown(await plainly('PUT', kind.create, kind.body))
    for (const naming of [...NAMINGS, { body: { Namespace: 'default' }, says: 'default' }]) {
      const ask = asker(server, naming)
      const where = JSON.stringify(naming)
      const update =
        kind.create === 'token' ? { ...kind.body, Description: where } : { ...made, ...kind.body }
      t.is(shown(await ask('PUT', kind.one(made), update)).Namespace, naming.says, `write ${where}`)
      if ('body' in naming) continue
      t.is(shown(await ask('GET', kind.one(made))).Namespace, naming.says, `read ${where}`)
      const list: readonly Shown[] = JSON.parse((await ask('GET', kind.list)).text)
      t.true(list.length > 0)
      for (const each of list) t.is(each.Namespace, naming.says, `list ${where}`)
    }
    t.false('Namespace' in shown(await plainly('GET', kind.one(made))), 'it was not stored')
  }
})

test('a response to a request that names another namespace contains that of the resource', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'team')
  for (const { create, body, one } of KINDS) {
    const ask = asker(server, { query: 'ns=team', says: 'team' })
    const made = shown(await ask('PUT', create, body))
    t.is(made.Namespace, 'team', create)
    t.is(shown(await ask('GET', one(made))).Namespace, 'team', create)
  }
})

test('the token presented, a clone, that of a login and the first one say default where the request does', async t => {
  const server = await serverInProcess(t)
  const { AccessorID = '' } = shown(await server.send('PUT', '/v1/acl/token', { body: {} }))
  for (const [query, says] of [
    ['', undefined],
    ['?ns=default', 'default'],
    ['?ns=no such name', undefined]
  ] as const)
    t.is(shown(await server.send('GET', `/v1/acl/token/self${encodeURI(query)}`)).Namespace, says)
  const clone = await server.send('PUT', `/v1/acl/token/${AccessorID}/clone?ns=default`, {
    body: {}
  })
  t.is(shown(clone).Namespace, 'default')
  await server.send('PUT', '/v1/acl/auth-method', { body: METHOD })
  await server.send('PUT', '/v1/acl/binding-rule', { body: RULE })
  for (const [Namespace, says] of [
    ['', undefined],
    ['default', 'default']
  ] as const) {
    const body = { AuthMethod: METHOD.Name, BearerToken: await credential(), Namespace }
    t.is(shown(await server.send('POST', '/v1/acl/login', { token: undefined, body })).Namespace, says)
  }
  const bare = await serverInProcess(t, { config: { acl: { enabled: true, default_policy: 'deny' } } })
  t.is(shown(await bare.send('PUT', '/v1/acl/bootstrap?ns=default')).Namespace, 'default')
})
