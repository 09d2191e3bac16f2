// Free-text names in paths: a slash can be literal or `%2F`, on every route that ends in a name.
import test from 'ava'
import type { Route } from '../../../http/wire/route.js'
import { parametersIn, routerPath, templatePath } from '../../../http/wire/route-path.js'
import { allRoutes } from '../../support/routes.js'
import { serverInProcess } from '../../support/server.js'

/** Paths that end in restricted names: of the ACL system, of namespaces, cursors and holds, IDs, words. */
const CLOSED =
  /^\/v1\/(acl|namespace|partition)\/|^\/v1\/(agent\/token\/:target|query\/:id|config\/:kind|event\/(cursor|hold)\/:name|connect\/intentions\/:id)$/
const isOpen = ({ path }: Route): boolean => /\*\w+$/.test(path)
const open = allRoutes.filter(isOpen)
const asked = ({ method, path }: Route, name: string): readonly [string, string] => [
  method,
  path.replace(':kind', 'service-defaults').replace(/\*\w+$/, name) +
    (path.includes('/maintenance/') ? '?enable=true' : '')
]
const bodyOf = ({ body }: Route): object => (body ? { body: {} } : {})
/** Removes what differs between requests. */
const settled = (text: string): string => text.replace(/"ID":"[^"]*"/, '"ID":""')

test('a path ends in a free name, unless what it ends in is known to be none', t => {
  t.deepEqual(
    allRoutes.filter(({ path }) => /:\w+$/.test(path) && !CLOSED.test(path)).map(({ path }) => path),
    []
  )
  t.deepEqual(
    open.map(({ path }) => path).filter(path => CLOSED.test(path)),
    []
  )
  t.true(open.length > 30, `${open.length} routes`)
})

test('a path is written for the router and for OpenAPI', t => {
  t.is(routerPath('/v1/config/:kind/*name'), '/v1/config/:kind/*')
  t.is(templatePath('/v1/config/:kind/*name'), '/v1/config/{kind}/{name}')
  t.deepEqual(parametersIn('/v1/config/:kind/*name'), ['kind', 'name'])
})

test('on every such route a raw slash and an encoded one are the same name', async t => {
  const server = await serverInProcess(t)
  for (const route of open)
    for (const [raw, encoded] of [
      ['team/web', 'team%2Fweb'],
      ['team/web/', 'team%2Fweb%2F'],
      ['50%25+%C3%A4/b', '50%25+%C3%A4%2fb']
    ] as const) {
      const name = `${route.method} ${route.path} ${raw}`
      const one = await server.send(...asked(route, raw), bodyOf(route))
      const other = await server.send(...asked(route, encoded), bodyOf(route))
      t.not(one.text, 'Not found: no endpoint has this path', name)
      t.deepEqual([one.status, settled(one.text)], [other.status, settled(other.text)], name)
      if (/"50%/.test(one.text)) t.regex(one.text, /"50%\+ä\/b/, name)
    }
})

test('on every such route another method is refused and OPTIONS tells the methods', async t => {
  const server = await serverInProcess(t)
  for (const route of open) {
    const [, path] = asked(route, 'team/web')
    const refused = await server.send('PATCH', path)
    t.is(refused.status, 405, path)
    t.true(String(refused.headers['allow']).split(',').includes(route.method), path)
    const options = await server.send('OPTIONS', path, { token: undefined })
    t.deepEqual([options.status, options.headers['allow']], [200, refused.headers['allow']], path)
  }
})

test('on every such route an empty name is answered by the route, and a missing slash leads there', async t => {
  const server = await serverInProcess(t)
  const whole = new Set(allRoutes.flatMap(({ path, aliases = [] }) => [path, ...aliases]))
  for (const route of open) {
    const [method, path] = asked(route, '')
    const { status, text } = await server.send(method, path, bodyOf(route))
    t.true(status < 500 && text !== 'Not found: no endpoint has this path', `${method} ${path}: ${text}`)
    const slashless = route.path.replace(/\/\*\w+$/, '')
    if (whole.has(slashless) || slashless.includes(':')) continue
    const moved = await server.send(method, slashless)
    t.deepEqual([moved.status, moved.headers['location']], [301, `${slashless}/`], path)
  }
})

test('resources with slashes in their names are found by the paths that clients send', async t => {
  const server = await serverInProcess(t)
  const put = async (path: string, body?: object): Promise<string> => {
    const { status, text } = await server.send('PUT', path, body ? { body } : {})
    t.is(status, 200, `${path}: ${text}`)
    return text
  }
  const read = async (path: string): Promise<string> => {
    const { status, text } = await server.send('GET', path)
    t.is(status, 200, `${path}: ${text}`)
    return text
  }
  await put('/v1/catalog/register', {
    Node: 'redis/redis1',
    Address: '192.0.2.1',
    Service: { Service: 'cache/main', ID: 'cache//1', Connect: { Native: true } },
    Check: { CheckID: 'cache/up', Name: 'up', Status: 'passing', ServiceID: 'cache//1' }
  })
  t.is(JSON.parse(await read('/v1/catalog/node/redis/redis1')).Node.Node, 'redis/redis1')
  t.is(JSON.parse(await read('/v1/catalog/node-services/redis/redis1')).Services.length, 1)
  for (const path of [
    'catalog/service',
    'catalog/connect',
    'health/service',
    'health/connect',
    'health/checks'
  ])
    t.is(JSON.parse(await read(`/v1/${path}/cache/main`)).length, 1, path)
  t.is(JSON.parse(await read('/v1/health/node/redis/redis1')).length, 1)
  const { ID } = JSON.parse(await put('/v1/session/create', { Node: 'redis/redis1', NodeChecks: [] }))
  t.is(JSON.parse(await read('/v1/session/node/redis/redis1'))[0].ID, ID)

  const body = { Name: 'jobs/mail', ID: 'jobs/../mail//1', Check: { CheckID: 'jobs/alive', TTL: '1m' } }
  await put('/v1/agent/service/register', body)
  const service = 'jobs%2F..%2Fmail%2F%2F1'
  t.is(JSON.parse(await read(`/v1/agent/service/${service}`)).ID, body.ID)
  await put('/v1/agent/check/pass/jobs/alive')
  await read(`/v1/agent/health/service/id/${service}`)
  await read('/v1/agent/health/service/name/jobs/mail')
  await put('/v1/agent/check/update/jobs/alive', { Status: 'passing' })
  await put(`/v1/agent/service/maintenance/${service}?enable=true`)
  await put('/v1/agent/check/deregister/jobs/alive')
  await put(`/v1/agent/service/deregister/${service}`)
  t.is(JSON.parse(await put('/v1/event/fire/deploy/web/1')).Name, 'deploy/web/1')
})

test('a path that is not clean leads to the clean one, whatever it names', async t => {
  const server = await serverInProcess(t)
  for (const [path, location] of [
    ['/v1/catalog/node/a//b', '/v1/catalog/node/a/b'],
    ['/v1/agent/service//a', '/v1/agent/service/a']
  ] as const) {
    const { status, headers } = await server.send('GET', path)
    t.deepEqual([status, headers['location']], [301, location], path)
  }
  t.is((await server.send('GET', '/v1/catalog/node/a/%zz')).status, 400)
  t.is((await server.send('GET', '/v1/catalog/node/a/%00')).status, 400)
})
