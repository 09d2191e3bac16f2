// By which server of a cluster each endpoint is answered.
import test from 'ava'
import { isRead, type Route } from '../../../../http/wire/route.js'
import { allRoutes } from '../../../support/routes.js'

const named = (routes: readonly Route[]): readonly string[] =>
  routes.map(({ method, path }) => `${method} ${path}`).toSorted()

test('these tell of the server that is asked, or change it', t => {
  t.deepEqual(named(allRoutes.filter(({ runs }) => runs === 'here')), [
    'GET /',
    'GET /healthz',
    'GET /readyz',
    'GET /v1/agent/configuration',
    'GET /v1/agent/host',
    'GET /v1/agent/members',
    'GET /v1/agent/metrics',
    'GET /v1/agent/monitor',
    'GET /v1/agent/profile/cpu',
    'GET /v1/agent/profile/heap',
    'GET /v1/agent/self',
    'GET /v1/catalog/datacenters',
    'GET /v1/coordinate/datacenters',
    'GET /v1/event/subscriptions',
    'GET /v1/internal/acl/usage',
    'GET /v1/internal/datacenter',
    'GET /v1/internal/federation-state/*name',
    'GET /v1/internal/federation-states',
    'GET /v1/internal/federation-states/mesh-gateways',
    'GET /v1/operator/autopilot/health',
    'GET /v1/operator/autopilot/state',
    'GET /v1/operator/log',
    'GET /v1/operator/raft/configuration',
    'GET /v1/status/leader',
    'GET /v1/status/peers',
    'PUT /v1/agent/reload',
    'PUT /v1/agent/token/:target'
  ])
})

test('of the reads, these ask what only the leader knows', t => {
  const ofLeader = allRoutes.filter(
    route => isRead(route) && (route.runs === 'leader' || typeof route.runs === 'function')
  )
  t.deepEqual(named(ofLeader), [
    'GET /v1/acl/replication',
    'GET /v1/event/cursor/:name',
    'GET /v1/event/cursor/:name/units',
    'GET /v1/event/cursors',
    'GET /v1/event/list',
    'GET /v1/event/stream',
    'GET /v1/internal/acl/bootstrap'
  ])
})

test('all other writes are the leader’s', t => {
  const elsewhere = allRoutes.filter(
    route => !isRead(route) && route.runs !== undefined && route.runs !== 'leader'
  )
  t.deepEqual(named(elsewhere), ['PUT /v1/agent/reload', 'PUT /v1/agent/token/:target'])
})
