// What a server tells of the other datacenters (spec: state.md §6.1, §8, §9).
import test from 'ava'
import { RoundTrips } from '../../../../server/cluster/datacenters/round-trips.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { until } from '../../../support/wait.js'
import { measured, stillClock } from './support.js'

const get = async (server: TestServer, path: string) => {
  const { status, text } = await server.send('GET', path)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

test('datacenters are listed by how far they are, also one that is gone', async t => {
  const all = await startDatacenters(t, { clock: stillClock() })
  const dc1 = all.at('dc1')
  for (let i = 0; i < 3; i++) await measured(all, 'dc1', { slow: 'dc2', ms: 50 })
  t.deepEqual(await get(dc1, '/v1/catalog/datacenters'), ['dc1', 'dc3', 'dc2'])
  for (let i = 0; i < 4; i++) await measured(all, 'dc1', { slow: 'dc3', ms: 500 })
  t.deepEqual(await get(dc1, '/v1/catalog/datacenters'), ['dc1', 'dc2', 'dc3'])
  await all.at('dc2').close()
  t.deepEqual(await get(dc1, '/v1/catalog/datacenters'), ['dc1', 'dc2', 'dc3'])
  const { text } = await dc1.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /^annals_datacenter_round_trip_seconds\{datacenter="dc3"\} 0\.5$/m)
})

test('coordinates and members of the wide area are those of the servers that answered', async t => {
  const all = await startDatacenters(t, { clock: stillClock() })
  const dc1 = all.at('dc1')
  for (let i = 0; i < 3; i++) await measured(all, 'dc1', { slow: 'dc2', ms: 80 })
  const coordinates = await get(dc1, '/v1/coordinate/datacenters')
  t.deepEqual(
    coordinates.map(({ Datacenter, AreaID, Coordinates }: Record<string, unknown>) => [
      Datacenter,
      AreaID,
      Array.isArray(Coordinates) ? Coordinates.map(({ Node }) => Node) : undefined
    ]),
    [
      ['dc1', 'wan', ['server-dc1']],
      ['dc3', 'wan', ['server-dc3']],
      ['dc2', 'wan', ['server-dc2']]
    ]
  )
  const [own] = coordinates
  t.is(own.Coordinates[0].Coord.Vec.length, 8)
  t.true(Math.hypot(...own.Coordinates[0].Coord.Vec) > 0, 'it has moved')
  t.is((await get(dc1, '/v1/agent/self')).Stats.consul.known_datacenters, '3')

  const shown = async (path: string): Promise<unknown[]> =>
    (await get(dc1, path)).map(
      ({ Name, Status, Tags }: { Name: string; Status: number; Tags: { dc: string } }) => [
        Name,
        Tags.dc,
        Status
      ]
    )
  t.deepEqual(await shown('/v1/agent/members'), [['server-dc1', 'dc1', 1]])
  t.deepEqual(await shown('/v1/agent/members?wan=1'), [
    ['server-dc1.dc1', 'dc1', 1],
    ['server-dc3.dc3', 'dc3', 1],
    ['server-dc2.dc2', 'dc2', 1]
  ])
  await all.at('dc3').gate.shut()
  const trips = dc1.scope.resolve(RoundTrips)
  all.advance(5000)
  await until('it is seen', () => trips.others()[0]?.servers[0]?.isLive === false)
  t.deepEqual((await shown('/v1/agent/members?wan=1'))[1], ['server-dc3.dc3', 'dc3', 4])
})

test('a datacenter that answers by another name is none that was asked', async t => {
  const there = await serverInProcess(t, { config: { datacenter: 'dc3' } })
  const server = await serverInProcess(t, { config: { datacenters: { dc2: { url: there.base } } } })
  const trips = server.scope.resolve(RoundTrips)
  await until('it has asked', () => trips.asking === 0)
  t.notRegex(await server.app.metrics.prometheus(), /annals_datacenter_round_trip_seconds\{/)
  t.deepEqual(await get(server, '/v1/catalog/datacenters'), ['dc1', 'dc2'])
  t.deepEqual((await get(server, '/v1/coordinate/datacenters')).length, 1)
})
