// The endpoint for `annals cluster join`. Its admission is replaced here; test/cluster/managed.test.ts has a real one.
import test, { type ExecutionContext } from 'ava'
import type { JoinOutcome } from '../../../../http/routes/internal/join.js'
import { ADMIT_MACHINE, registerClusterRoutes } from '../../../../server/cluster/members/register-cluster.js'
import { serverInProcess } from '../../../support/server.js'

const body = {
  ID: '5ec51e410a1b2c3d',
  Secret: 's',
  Name: 'two',
  Host: '10.0.0.2',
  PeerURL: 'https://10.0.0.2:2380',
  Request: 'PEM'
}

const joining = async (t: ExecutionContext, outcome?: JoinOutcome, config: object = {}) => {
  const server = await serverInProcess(t, {
    config: { ...config },
    register: scope => {
      registerClusterRoutes(scope)
      if (outcome) scope.registerInstance(ADMIT_MACHINE, () => Promise.resolve(outcome))
    }
  })
  return (sent: object = body) => server.send('POST', '/v1/internal/join', { token: '', body: sent })
}

test('a refused join token is 403 with its reason, and many are 429', async t => {
  const outcome: JoinOutcome = { kind: 'denied', reason: 'the join token is unknown' }
  const join = await joining(t, outcome, { limits: { auth_failures: 1, auth_failures_burst: 2 } })
  const first = await join()
  t.is(first.status, 403)
  t.is(first.text.trim(), 'Permission denied: the join token is unknown')
  const statuses = new Set<number>()
  for (let tries = 0; tries < 10; tries++) statuses.add((await join()).status)
  t.true(statuses.has(429))
})

test('a body that breaks a rule, and a cluster without managed etcd, are 400', async t => {
  const join = await joining(t)
  t.regex((await join()).text, /no managed member of etcd: join at a server that has one/)
  for (const wrong of [
    {},
    { ...body, Name: '' },
    { ...body, More: 1 },
    { ...body, Request: 'x'.repeat(5000) }
  ])
    t.is((await join(wrong)).status, 400)
})

test('other refusals have their kinds', async t => {
  const invalid = await joining(t, { kind: 'invalid', reason: 'Invalid Host: it must be an IP address' })
  t.like(await invalid(), { status: 400, text: 'Invalid Host: it must be an IP address' })
  const unavailable = await joining(t, { kind: 'unavailable', reason: 'etcd does not answer' })
  t.is((await unavailable()).status, 503)
})
