// What is declared about every route is enforced.
import test, { type ExecutionContext } from 'ava'
import type { Route } from '../../../http/wire/route.js'
import { allRoutes } from '../../support/routes.js'
import { serverInProcess } from '../../support/server.js'

const UUID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'

/** Routes that name a permission and yet do not answer 403 to this walk, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'PUT /v1/session/destroy/*id': 'an unknown session is destroyed already',
  'PUT /v1/session/renew/*id': 'an unknown session is reported before any permission check',
  'GET /v1/query/:id': 'an unknown ID is reported before any permission check',
  'GET /v1/query/:id/execute': 'an unknown name is reported before the token is resolved',
  'GET /v1/query/*name': 'an unknown name is reported before the token is resolved',
  'GET /v1/query/:id/explain': 'an unknown name is reported before any permission check',
  'DELETE /v1/query/:id': 'an unknown ID is reported before any permission check'
}

/** Bodies of those whose rights hang on what the body says, in place of an empty object. */
const bodies: Readonly<Record<string, object>> = {
  'POST /v1/internal/acl/authorize': [{ Resource: 'acl', Access: 'read' }],
  'POST /v1/query': { Name: 'query' },
  'PUT /v1/query': { Name: 'query' },
  'PUT /v1/query/:id': { Name: 'query' },
  'PUT /v1/txn': [],
  'PUT /v1/agent/service/register': { Name: 'web' },
  'POST /v1/connect/intentions': { SourceName: 'a', DestinationName: 'b', Action: 'allow' },
  'PUT /v1/connect/intentions/:id': { SourceName: 'a', DestinationName: 'b', Action: 'allow' },
  'PUT /v1/connect/intentions/exact': { SourceName: 'a', DestinationName: 'b', Action: 'allow' },
  'PUT /v1/config': { Kind: 'service-defaults', Name: 'web' }
}

/** Parameters without which a route does not come to its rights. */
const queries: Readonly<Record<string, string>> = {
  '/v1/connect/intentions/exact': '?source=a&destination=b',
  '/v1/connect/intentions/match': '?by=source&name=a',
  '/v1/connect/intentions/check': '?source=a&destination=b',
  '/v1/agent/maintenance': '?enable=true',
  '/v1/operator/raft/peer': '?id=other',
  '/v1/agent/service/maintenance/*id': '?enable=true'
}

const named = ({ method, path }: Route): string => `${method} ${path}`
/** A path that could be one: each parameter a UUID, the rest of a path a name. */
const pathOf = ({ path }: Route): string =>
  path.replace(':kind', 'service-defaults').replaceAll(/[:*]\w+/g, UUID) + (queries[path] ?? '')
const bodyOf = (route: Route): object => (route.method === 'GET' ? {} : { body: bodies[named(route)] ?? {} })

test('no two routes stand for the same method and path', t => {
  const all = allRoutes.flatMap(route =>
    [route.path, ...(route.aliases ?? [])].map(path => `${route.method} ${path}`)
  )
  t.deepEqual(all.length, new Set(all).size)
})

test('every route declares its access in words of the rule language', t => {
  const resources = 'acl|agent|event|intention|key|keyring|namespace|node|operator|query|service|session'
  const permission = new RegExp(`^(${resources}):(read|list|write|write-prefix|read-job)$|^management$`)
  for (const route of allRoutes) {
    for (const one of route.access.permissions) t.regex(one, permission, named(route))
    t.true(route.access.resolvesToken || route.access.permissions.length === 0, named(route))
    t.not(route.summary, '', named(route))
  }
})

/** What is wrong with the answers to a walk of all routes; the routes that are excepted are left out. */
const walk = async (
  t: ExecutionContext,
  token: string | undefined,
  routes: readonly Route[],
  fault: (route: Route, status: number, text: string) => string | undefined
): Promise<string[]> => {
  const server = await serverInProcess(t)
  const faults: string[] = []
  for (const route of routes) {
    if (named(route) in exceptions) continue
    const { status, text } = await server.send(route.method, pathOf(route), { token, ...bodyOf(route) })
    const found = fault(route, status, text)
    if (found !== undefined) faults.push(`${named(route)}: ${found} (${status} ${text})`)
  }
  return faults
}

test('under default deny, every route with a permission denies requests without a token', async t => {
  const guarded = allRoutes.filter(route => route.access.permissions.length > 0)
  const faults = await walk(t, undefined, guarded, ({ access }, status, text) => {
    if (status !== 403) return 'is not denied'
    const missing = /^Permission denied: .* lacks permission '([^']*)'/.exec(text)?.[1]
    return missing !== undefined && access.permissions.includes(missing)
      ? undefined
      : 'names another permission'
  })
  t.deepEqual(faults, [])
})

/** Routes whose 403 is not about rights: a second bootstrap, a logout of a token that no login made, and an unknown sign-in code. */
const refusedForOther: ReadonlySet<string> = new Set([
  '/v1/acl/bootstrap',
  '/v1/acl/logout',
  '/v1/acl/sign-in'
])

test('whatever a route denies to a token without rights, the explanation denies too and says why', async t => {
  const server = await serverInProcess(t)
  const made = JSON.parse((await server.send('PUT', '/v1/acl/token', { body: {} })).text)
  const token: string = made.SecretID
  let denied = 0
  for (const route of allRoutes)
    for (const namespace of ['', 'team', '*']) {
      const path = pathOf(route)
      const asked = namespace === '' ? path : `${path}${path.includes('?') ? '&' : '?'}ns=${namespace}`
      const { status, text } = await server.send(route.method, asked, { token, ...bodyOf(route) })
      if (status !== 403 || text.startsWith('ACL not found')) continue
      if (refusedForOther.has(route.path)) continue
      denied++
      const explained = await server.send('POST', '/v1/acl/explain', { body: { Denial: text } })
      t.is(explained.status, 200, `${named(route)}: ${text}: ${explained.text}`)
      const { Allowed, AccessorID, DecidedBy } = JSON.parse(explained.text)
      t.deepEqual([Allowed, AccessorID, DecidedBy], [false, made.AccessorID, 'default policy'], text)
    }
  t.true(denied > 150, `${denied} denials`)
})

test('an unknown token is refused by every route that looks at tokens, and by no other', async t => {
  const faults = await walk(t, 'unknown', allRoutes, ({ access }, status, text) => {
    const refused = status === 403 && text === 'ACL not found'
    if (refused === access.resolvesToken) return undefined
    return refused ? 'looks at the token' : 'does not refuse the token'
  })
  t.deepEqual(faults, [])
})

test('an exception is a route that exists', t => {
  const names = new Set(allRoutes.map(named))
  t.deepEqual(
    Object.keys(exceptions).filter(name => !names.has(name)),
    []
  )
})
