// Workers ask other datacenters by themselves.
import test from 'ava'
import { AgentTokens } from '../../../../server/settings/agent-tokens.js'
import { DATACENTERS } from '../../../../server/settings/ports.js'
import { ask, dataOf, register } from '../../../support/dns.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { serverWithWorker } from '../../../support/worker.js'

test('a query at a worker fails over, and DNS there asks other datacenters', async t => {
  // Each server has its own instances of the classes that were loaded before it was made.
  await import('../../../../server/cluster/datacenters/register-datacenters.js')
  const dc2 = await serverInProcess(t, { config: { datacenter: 'dc2' } })
  await register(dc2, 'n1', '10.2.0.1', { Service: 'web', Port: 80 })
  const { main, worker } = await serverWithWorker(t, {
    config: { datacenters: { dc2: { url: dc2.base } }, ports: { http: 0, dns: 0 } }
  })
  t.deepEqual(worker.scope.resolve(DATACENTERS).nearest(), ['dc2'])
  const body = { Name: 'q', Service: { Service: 'web', Failover: { NearestN: 1 } } }
  t.is((await main.send('POST', '/v1/query', { body })).status, 200)
  const { text } = await worker.send('GET', '/v1/query/q/execute')
  t.like(JSON.parse(text), { Datacenter: 'dc2', Failovers: 1 })
  t.is((await worker.send('GET', '/v1/catalog/datacenters')).text, '["dc1","dc2"]')
  const { dnsPort } = worker
  if (dnsPort === undefined) throw new Error('the worker has no DNS')
  // Requests without a token are denied there.
  t.is((await ask(dnsPort, 'web.service.dc2.consul', 'A')).rcode, 'NXDOMAIN')
  worker.scope.resolve(AgentTokens).use('default', ROOT)
  t.deepEqual(dataOf(await ask(dnsPort, 'web.service.dc2.consul', 'A')), ['10.2.0.1'])
})
