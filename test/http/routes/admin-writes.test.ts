// Which administrators each write of events, operators, snapshots and servers obeys.
import test from 'ava'
import { registerClusterRoutes } from '../../../server/cluster/members/register-cluster.js'
import { ROUTES } from '../../../http/wire/route.js'
import { serverInProcess } from '../../support/server.js'
import { createToken } from '../support.js'
import { ADMINS, createAdmins } from './admins.js'

const UNDER = ['/v1/event/', '/v1/operator/', '/v1/snapshot', '/v1/internal/']
const DIGEST = 'a'.repeat(64)
const MANAGEMENT = '00000000-0000-0000-0000-000000000001'

interface Write {
  /** As the route declares it. */
  readonly route: string
  readonly path?: string
  readonly body?: object | string
  /** Statuses for a namespace admin, a partition admin, a default-namespace admin and an operator. */
  readonly statuses: readonly [number, number, number, number]
}

const FOUND = { Partition: 'default', Namespace: 'default', ID: 'web' }

const revert = (place: string, key: string): string =>
  `/v1/event/revert?topic=KV&key=${key}&to=INDEX&${place}&dry-run`
const erase = (body: object, statuses: Write['statuses'], query = ''): Write => ({
  route: 'POST /v1/event/erase',
  path: `/v1/event/erase${query}`,
  body: { Reason: 'test', ...body },
  statuses
})
const inTeam = { Namespace: 'team-a', Partition: 'default' }
const inDefault = { Namespace: 'default', Partition: 'default' }
const inPart = { Partition: 'part-a' }

const ofGroup = (action: string, body?: object): Write => ({
  route: `POST /v1/event/cursor/:name/${action.replace(/\?.*/, '')}`,
  path: `/v1/event/cursor/root/${action}`,
  ...(body === undefined ? {} : { body }),
  statuses: [403, 403, 403, 403]
})

/** Denied writes come first: those that succeed change what others are answered. */
const JOIN = {
  ID: 'a',
  Secret: 'b',
  Name: 'c',
  Host: '10.0.0.1',
  PeerURL: 'https://10.0.0.1:2380',
  Request: 'd'
}

const WRITES: readonly Write[] = [
  erase({ Part: 'who', Accessor: MANAGEMENT }, [403, 403, 403, 403]),
  erase({ Part: 'who', Accessor: MANAGEMENT }, [403, 403, 403, 403], '?dry-run'),
  erase({ Topic: 'Node', Prefix: '', Scope: 'history' }, [403, 403, 403, 403]),
  erase({ Topic: 'Node', Prefix: '', Scope: 'history', ...inTeam }, [403, 403, 403, 403], '?dry-run'),
  erase({ Topic: 'Node', Prefix: '', Scope: 'history', ...inPart }, [403, 403, 403, 403]),
  erase({ Topic: 'Namespace', Key: 'team-a', Scope: 'history' }, [403, 403, 403, 403]),
  erase({ Topic: 'Check', Prefix: '', Scope: 'history' }, [403, 403, 403, 403]),
  erase({ Topic: 'KV', Prefix: '', Scope: 'history', ...inTeam }, [200, 403, 403, 403], '?dry-run'),
  erase({ Topic: 'KV', Prefix: '', Scope: 'history', ...inPart }, [403, 200, 403, 403], '?dry-run'),
  erase({ Topic: 'KV', Prefix: '', Scope: 'history', ...inDefault }, [403, 403, 200, 403], '?dry-run'),
  erase({ Topic: 'ACLToken', Prefix: '', Scope: 'history', ...inTeam }, [200, 403, 403, 403], '?dry-run'),
  {
    route: 'PUT /v1/event/revert',
    path: revert('ns=team-a&partition=default', 'team'),
    statuses: [200, 403, 403, 403]
  },
  { route: 'PUT /v1/event/revert', path: revert('partition=part-a', 'part'), statuses: [403, 200, 403, 403] },
  { route: 'PUT /v1/event/fire/*name', path: '/v1/event/fire/deploy', statuses: [403, 403, 200, 403] },
  {
    route: 'PUT /v1/event/cursor/:name',
    path: '/v1/event/cursor/c-ADMIN',
    body: { Topics: ['*'] },
    statuses: [403, 403, 200, 403]
  },
  {
    route: 'PUT /v1/event/cursor/:name',
    path: '/v1/event/cursor/h-ADMIN',
    body: { Topics: ['KV'], URL: 'https://example.com/' },
    statuses: [403, 403, 403, 403]
  },
  ofGroup('receive?member=one'),
  ofGroup('ack', { Receipts: ['x'] }),
  ofGroup('nack', { Receipts: ['x'] }),
  ofGroup('units/replay', { Units: [{ Index: 1, Unit: 'x' }] }),
  ofGroup('units/drop', { Units: [{ Index: 1, Unit: 'x' }] }),
  ofGroup('redeliver', {}),
  {
    route: 'PUT /v1/event/hold/:name',
    path: '/v1/event/hold/case',
    body: {},
    statuses: [403, 403, 403, 400]
  },
  { route: 'DELETE /v1/event/hold/:name', path: '/v1/event/hold/case', statuses: [403, 403, 403, 400] },
  { route: 'DELETE /v1/event/cursor/:name', path: '/v1/event/cursor/root', statuses: [403, 403, 403, 200] },
  {
    route: 'DELETE /v1/operator/raft/peer',
    path: '/v1/operator/raft/peer?id=none',
    statuses: [403, 403, 403, 400]
  },
  { route: 'PUT /v1/operator/autopilot/configuration', body: {}, statuses: [403, 403, 403, 200] },
  { route: 'PUT /v1/snapshot', body: 'no archive', statuses: [403, 403, 400, 403] },
  { route: 'POST /v1/internal/acl/authorize', body: [], statuses: [200, 200, 200, 200] },
  {
    route: 'POST /v1/internal/query',
    body: { Query: { Service: { Service: 'web' } } },
    statuses: [200, 200, 200, 200]
  },
  {
    route: 'PUT /v1/internal/findings/check',
    body: { ...FOUND, Status: 'critical', Output: '' },
    statuses: [403, 403, 403, 403]
  },
  { route: 'PUT /v1/internal/findings/service', body: FOUND, statuses: [403, 403, 403, 403] },
  { route: 'PUT /v1/internal/reach', statuses: [403, 403, 403, 403] },
  { route: 'POST /v1/internal/join', body: JOIN, statuses: [400, 400, 400, 400] },
  {
    route: 'PUT /v1/internal/restores/:Digest',
    path: `/v1/internal/restores/${DIGEST}`,
    statuses: [403, 403, 403, 403]
  }
]

test('a write of events, operators, snapshots and servers obeys no administrator beyond its place', async t => {
  const server = await serverInProcess(t, { register: registerClusterRoutes })
  const secrets = await createAdmins(server)
  await createToken(server)
  for (const path of ['/v1/kv/team?ns=team-a', '/v1/kv/part?partition=part-a', '/v1/kv/own'])
    for (const body of ['one', 'two']) await server.send('PUT', path, { body })
  const index = String(server.app.views.index)
  await server.send('PUT', '/v1/event/cursor/root', { body: { Topics: ['KV'] } })
  for (const { route, path = route.split(' ')[1] ?? '', body, statuses } of WRITES)
    for (const [i, admin] of ADMINS.entries()) {
      const before = server.app.views.index
      const asked = path.replace('INDEX', index).replace('ADMIN', String(i))
      const { status, text } = await server.send(route.split(' ')[0] ?? '', asked, {
        token: secrets[admin],
        ...(body === undefined ? {} : { body })
      })
      const title = `${route} ${JSON.stringify(body)} by the ${admin}: ${text}`
      t.is<number | undefined, number | undefined>(status, statuses[i], title)
      if (status === 403) t.is(server.app.views.index, before, title)
    }
})

test('every write under these paths is examined', async t => {
  const server = await serverInProcess(t, { register: registerClusterRoutes })
  const writes = server.scope
    .resolve(ROUTES)
    .filter(({ method, path }) => method !== 'GET' && UNDER.some(start => path.startsWith(start)))
    .map(({ method, path }) => `${method} ${path}`)
  t.deepEqual(writes.toSorted(), [...new Set(WRITES.map(({ route }) => route))].toSorted())
})
