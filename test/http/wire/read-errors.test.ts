// Every response to a read has the headers of a read.
import test from 'ava'
import { readError } from '../../../http/wire/reads/blocking.js'
import { plain } from '../../../http/wire/response.js'
import type { Route } from '../../../http/wire/route.js'
import { allRoutes } from '../../support/routes.js'
import { serverInProcess } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { indexOf } from '../support.js'

const UUID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'
const reads = allRoutes.filter(
  ({ method, blocking, consistency = 'none' }) => blocking || (method === 'GET' && consistency !== 'none')
)
const pathOf = ({ path }: Route): string =>
  path.replace(':kind', 'service-defaults').replaceAll(/[:*]\w+/g, UUID)

test('every refused read bears an index, and says whether anything was looked up', async t => {
  const server = await serverInProcess(t)
  let [refused, missing] = [0, 0]
  for (const route of reads)
    for (const [query, token] of [
      ['', 'unknown'],
      ['?index=nope'],
      ['?dc=elsewhere'],
      ['?%zz'],
      ['']
    ] as const) {
      const sending = { ...(token ? { token } : {}), ...(route.method === 'POST' ? { body: {} } : {}) }
      const { status, headers } = await server.send(route.method, pathOf(route) + query, sending)
      if (status < 400) continue
      const name = `${route.method} ${route.path}${query} ${status}`
      t.regex(String(headers['x-service-index']), /^[1-9]\d*$/, name)
      t.is(headers['x-consul-index'], headers['x-service-index'], name)
      t.is(headers['x-service-lastcontact'], '0', name)
      t.is(headers['x-service-query-backend'], 'blocking-query', name)
      // A 403 may also be the result of a lookup, of a missing token or policy.
      if (status !== 403) t.is(headers['x-service-knownleader'], status === 404 ? 'true' : 'false', name)
      else t.truthy(headers['x-service-knownleader'], name)
      if (status === 404) missing++
      else refused++
    }
  t.true(refused > 100 && missing > 8, `${refused} refused, ${missing} missing`)
})

test('an error of a write bears none', t => {
  for (const route of allRoutes.filter(({ method }) => method !== 'GET' && method !== 'POST'))
    if (!reads.includes(route)) t.deepEqual(readError(route, plain(400, 'no')), plain(400, 'no'))
})

test('a read of a query or a namespace that is not there can wait for it', async t => {
  const server = await serverInProcess(t)
  for (const [path, write, body] of [
    [`/v1/query/${UUID}`, '/v1/query', { Name: 'other', Service: { Service: 'web' } }],
    ['/v1/namespace/team', '/v1/namespace', { Name: 'team' }]
  ] as const) {
    const first = await server.send('GET', path)
    t.is(first.status, 404)
    const before = server.app.views.watch.size
    const waiting = server.send('GET', `${path}?index=${indexOf(first)}&wait=10m`)
    await until('the read waits', () => server.app.views.watch.size > before)
    t.is((await server.send('PUT', write, { body })).status, 200)
    t.true(indexOf(await waiting) > indexOf(first), path)
  }
})
