import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const Coord = { Vec: [1, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0 }

test('a node without coordinates is 404 with an index on which to wait for them', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/catalog/register', { body: { Node: 'Web-1', Address: '10.0.0.1' } })
  const none = await server.send('GET', '/v1/coordinate/node/Web-1')
  t.is(none.status, 404)
  t.is(none.headers['x-service-index'], '1')
  t.is(none.headers['x-service-knownleader'], 'true')
  let isOver = false
  const later = server
    .send('GET', '/v1/coordinate/node/Web-1?index=1&wait=60s')
    .finally(() => (isOver = true))
  await until('the read waits', () => server.app.views.watch.size > 0)
  t.false(isOver)
  await server.send('PUT', '/v1/coordinate/update', { body: { Node: 'Web-1', Coord } })
  server.advance(5000)
  const { status, text, headers } = await later
  t.is(status, 200)
  t.deepEqual(JSON.parse(text), [{ Node: 'Web-1', Segment: '', Coord }])
  t.true(Number(headers['x-service-index']) > 1)
})

test('coordinates of one node bear its name as it was asked for, those of all as it is stored', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/catalog/register', { body: { Node: 'Web-1', Address: '10.0.0.1' } })
  await server.send('PUT', '/v1/coordinate/update', { body: { Node: 'Web-1', Coord } })
  server.advance(5000)
  const nodesOf = async (path: string): Promise<unknown> => {
    const { text } = await server.send('GET', path)
    const list: readonly { readonly Node: string }[] = JSON.parse(text)
    return list.map(({ Node }) => Node)
  }
  await until(
    'the coordinate is stored',
    () => [...server.app.views.coordinates.inOrder('default')].length > 0
  )
  t.deepEqual(await nodesOf('/v1/coordinate/node/WEB-1'), ['WEB-1'])
  t.deepEqual(await nodesOf('/v1/coordinate/nodes'), ['Web-1'])
})

test('the coordinates of a datacenter name its servers as the catalog does', async t => {
  const server = await serverInProcess(t)
  const [own] = JSON.parse((await server.send('GET', '/v1/coordinate/datacenters')).text)
  t.deepEqual([own.Datacenter, own.AreaID, own.Coordinates[0].Node], ['dc1', 'wan', 'server-1'])
})
