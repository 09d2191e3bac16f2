// For each route whether it takes the name of a datacenter (spec: auth.md §11.4, and the rows of api.md and state.md for `dc`).
import test from 'ava'
import type { Route } from '../../../../http/wire/route.js'
import { allRoutes } from '../../../support/routes.js'
import { isUnreachable, shutOff, startDatacenters } from '../../../support/datacenters.js'
import { serverInProcess } from '../../../support/server.js'

const UUID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'

const named = ({ method, path }: Route): string => `${method} ${path}`
const pathOf = ({ path }: Route): string =>
  path.replace(':kind', 'service-defaults').replaceAll(/[:*]\w+/g, UUID)

/** What all datacenters have from the primary, so that a write is made there, whichever is named. */
const OF_PRIMARY = [
  'POST /v1/acl/policy/:id/impact',
  'POST /v1/acl/role/:id/impact',
  'PUT /v1/acl/policy',
  'PUT /v1/acl/policy/:id',
  'DELETE /v1/acl/policy/:id',
  'PUT /v1/acl/policy/:id/proposal',
  'DELETE /v1/acl/policy/:id/proposal',
  'PUT /v1/acl/policy/:id/proposal/promote',
  'GET /v1/acl/policy/:id/proposal',
  'GET /v1/acl/policy/:id/proposal/impact',
  'GET /v1/acl/policy-proposals',
  'PUT /v1/acl/role',
  'PUT /v1/acl/role/:id',
  'DELETE /v1/acl/role/:id',
  'PUT /v1/config',
  'DELETE /v1/config/:kind/*name',
  'PUT /v1/connect/intentions/exact',
  'DELETE /v1/connect/intentions/exact',
  'POST /v1/connect/intentions',
  'PUT /v1/connect/intentions/:id',
  'DELETE /v1/connect/intentions/:id'
]

/** Of tokens it depends on whether they are local. */
const OF_TOKENS = [
  'PUT /v1/acl/token',
  'PUT /v1/acl/token/:AccessorID',
  'PUT /v1/acl/token/:AccessorID/clone',
  'PUT /v1/acl/token/:AccessorID/rotate',
  'DELETE /v1/acl/token/:AccessorID',
  'POST /v1/acl/token/:AccessorID/impact'
]

const isOfServer = ({ path }: Route): boolean =>
  path.startsWith('/v1/agent/') || ['/healthz', '/readyz', '/v1/internal/acl/usage'].includes(path)

test('only routes of the server itself ignore dc, and only writes with a datacenter of their own just check it', t => {
  const ignoring = allRoutes.filter(({ dc }) => dc === 'ignored')
  t.deepEqual(ignoring.map(named).toSorted(), allRoutes.filter(isOfServer).map(named).toSorted())
  const checking = allRoutes.filter(({ dc }) => dc === 'checked')
  t.deepEqual(checking.map(named).toSorted(), [...OF_PRIMARY, ...OF_TOKENS].toSorted())
  const withRegion = allRoutes.filter(({ dc }) => dc === 'or region')
  t.deepEqual(withRegion.map(named), ['GET /v1/event/stream'])
})

test('every route but those of the server itself refuses a datacenter that is not known', async t => {
  const servers = [await serverInProcess(t), (await startDatacenters(t, { names: ['dc1', 'dc2'] })).at('dc1')]
  const faults: string[] = []
  for (const route of allRoutes) {
    if (route.dc === 'ignored') continue
    for (const server of servers) {
      const { status, text } = await server.send(route.method, `${pathOf(route)}?dc=dc9`)
      if (status !== 400 || !text.includes('No path to datacenter: "dc9" is not known'))
        faults.push(`${named(route)}: ${status} ${text}`)
    }
  }
  t.deepEqual(faults, [])
})

test('every route that takes dc is answered by the datacenter that it names, and no other one is', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await shutOff(dc2, dc1)
  const unreachable: string[] = []
  for (const route of allRoutes) {
    // They are about this process: one would end it, another never ends, and profiles take their time.
    if (isOfServer(route) && /leave|monitor|profile/.test(route.path)) continue
    const { text } = await dc1.send(route.method, `${pathOf(route)}?dc=dc2`)
    if (isUnreachable('dc2', text)) unreachable.push(named(route))
  }
  const expected = allRoutes.filter(({ dc }) => dc === undefined || dc === 'or region').map(named)
  t.deepEqual(unreachable, expected)
})

test('what belongs to the primary is asked of it, and nothing else', async t => {
  const all = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    remote: () => ({ token: 'unknown' })
  })
  await shutOff(all.at('dc1'), all.at('dc2'))
  const unreachable: string[] = []
  for (const route of allRoutes) {
    if (route.belongsTo === undefined) continue
    const { text } = await all.at('dc2').send(route.method, pathOf(route), { body: {} })
    if (isUnreachable('dc1', text)) unreachable.push(named(route))
  }
  t.deepEqual(unreachable.toSorted(), [...OF_PRIMARY, ...OF_TOKENS].toSorted())
})
