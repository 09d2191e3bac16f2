// Workers of the servers of a cluster: each shows what any server has acknowledged, and sends on to its main process all else.
import test, { type ExecutionContext } from 'ava'
import { serverProof } from '../../../../server/cluster/members/server-proof.js'
import { type TestCluster as Cluster, type ClusterServer, TestCluster } from '../../../support/cluster.js'
import { until } from '../../../support/wait.js'
import { clusterSecret } from '../../../../server/settings/settings.js'
import { workerInProcess, type TestWorker } from '../../../support/worker.js'
import { CLUSTER } from '../../../../server/cluster/members/cluster-port.js'
import { Workers } from '../../../../server/cluster/workers/workers.js'

interface WithWorker {
  readonly server: ClusterServer
  readonly worker: TestWorker
}

/** A server with a worker that is no process of its own. */
const startWithWorker = async (t: ExecutionContext, cluster: Cluster, name: string): Promise<WithWorker> => {
  let workers: Workers | undefined
  const server = await cluster.start(name, settings => (workers = new Workers(settings)))
  if (!workers) throw new Error('the server was started without workers')
  const main = { settings: server.settings, dnsPort: undefined, clock: cluster.clock }
  const worker = await workerInProcess(main, workers, 1)
  t.teardown(() => worker.close())
  return { server, worker }
}

/** Two servers with a worker each, the first of which leads. */
const pairWithWorkers = async (t: ExecutionContext) => {
  const cluster = new TestCluster(t)
  const one = await startWithWorker(t, cluster, 'one')
  await cluster.until('one leads', () => one.server.role() === 'leading')
  const two = await startWithWorker(t, cluster, 'two')
  await cluster.until('two follows', () => two.server.role() === 'following')
  await cluster.settled()
  return { cluster, one, two }
}

test('what is written through any process is read at once through every other one', async t => {
  const { one, two } = await pairWithWorkers(t)
  const all = [one.server, one.worker, two.server, two.worker]
  for (const [i, writer] of all.entries()) {
    t.is((await writer.send('PUT', '/v1/kv/a', { body: String(i) })).text, 'true')
    for (const reader of all) t.is((await reader.send('GET', '/v1/kv/a?raw')).text, String(i))
  }
})

for (const isInDoubt of [false, true])
  test(`a worker of ${isInDoubt ? 'a leader in doubt' : 'the leader'} waits for a commit that another server already shows`, async t => {
    const { cluster, one, two } = await pairWithWorkers(t)
    await one.server.send('PUT', '/v1/kv/a', { body: 'old' })
    one.server.shared.loseAnswers()
    const write = one.server.send('PUT', '/v1/kv/a', { body: 'new' })
    await cluster.until('two shows it', async () => {
      const { text } = await two.server.send('GET', '/v1/kv/a?raw&stale')
      return text === 'new'
    })
    if (isInDoubt) {
      one.server.shared.loseRenewals()
      const { scope } = one.server.running
      await cluster.until('the leader is in doubt', () => !scope.resolve(CLUSTER).mayAnswer())
    }
    const read = one.worker.send('GET', '/v1/kv/a?raw')
    t.is((await one.worker.send('GET', '/v1/kv/a?raw&stale')).text, 'old')
    one.server.shared.heal()
    t.is((await read).text, 'new')
    t.is((await write).text, 'true')
  })

test('a worker of an isolated server knows that it may be outdated', async t => {
  const { cluster, one, two } = await pairWithWorkers(t)
  await one.server.send('PUT', '/v1/kv/a', { body: 'old' })
  t.is((await two.worker.send('GET', '/v1/kv/a?raw')).text, 'old')
  two.server.shared.cut()
  t.is((await one.server.send('PUT', '/v1/kv/a', { body: 'new' })).text, 'true')
  t.is((await two.worker.send('GET', '/v1/kv/a?raw')).status, 503)
  const stale = await two.worker.send('GET', '/v1/kv/a?raw&stale')
  t.is(stale.text, 'old')
  cluster.advance(60_000)
  const later = await two.worker.send('GET', '/v1/kv/a?raw&stale')
  t.is(later.headers['x-service-knownleader'], 'false')
  t.true(Number(later.headers['x-service-lastcontact']) >= 50_000)
  t.is((await two.worker.send('GET', '/v1/kv/a?raw&max_stale=1s')).status, 503)
  two.server.shared.heal()
  await cluster.settled()
  await cluster.until('the worker hears of a leader', async () => {
    const { headers } = await two.worker.send('GET', '/v1/kv/a?raw&stale')
    return headers['x-service-knownleader'] === 'true'
  })
  t.is((await two.worker.send('GET', '/v1/kv/a?raw')).text, 'new')
})

test('workers continue after a change of leader', async t => {
  const { cluster, one, two } = await pairWithWorkers(t)
  await one.worker.send('PUT', '/v1/kv/a', { body: '1' })
  await one.worker.close()
  await one.server.close()
  await cluster.until('the other one leads', () => two.server.role() === 'leading')
  t.is((await two.worker.send('PUT', '/v1/kv/b', { body: '2' })).text, 'true')
  t.is((await two.worker.send('GET', '/v1/kv/?keys')).text, '["a","b"]')
})

test('a request of another server that meets a worker is answered as that of the other server', async t => {
  const { one, two } = await pairWithWorkers(t)
  const secret = clusterSecret(one.server.settings)
  const ask = ({ worker }: WithWorker, method: string, path: string) => {
    const sender = worker === one.worker ? two.server : one.server
    const from = { id: sender.settings.node_id, node: sender.name, address: '203.0.113.9' }
    const proof = serverProof(secret, { method, url: path }, from, Date.now())
    return worker.send(method, path, { headers: { 'X-Annals-Forwarded': proof } })
  }
  t.is((await ask(one, 'PUT', '/v1/kv/a')).text, 'true')
  const audit = await one.server.send('GET', '/v1/event/audit?topic=KV')
  t.regex(audit.text, /"Address":"203\.0\.113\.9"/)
  t.is((await ask(one, 'GET', '/v1/internal/log?from=1')).status, 200)
  for (const { worker } of [one, two]) {
    t.is((await worker.send('GET', '/v1/internal/log?from=1')).status, 403)
    t.is((await worker.send('GET', `/v1/internal/restores/${'0'.repeat(64)}`)).status, 403)
    const body = { ID: 'a', Status: 'passing', Output: '', Partition: 'default', Namespace: 'default' }
    t.is((await worker.send('PUT', '/v1/internal/findings/check', { body })).status, 403)
  }
  const refused = await ask(two, 'PUT', '/v1/kv/b')
  t.is(refused.status, 503)
  t.is(refused.headers['x-service-outcome'], 'not-leader')
  const forged = await one.worker.send('PUT', '/v1/kv/a', { headers: { 'X-Annals-Forwarded': 'a.b.c.1.d' } })
  t.true([400, 403].includes(forged.status))
})

test('of the cluster, and of its servers, a worker tells what its main process does', async t => {
  const { one, two } = await pairWithWorkers(t)
  for (const { server } of [one, two])
    await until('it knows how far both are', async () => {
      const { text } = await server.send('GET', '/v1/operator/raft/configuration')
      const { Servers }: { readonly Servers: readonly { readonly LastIndex: number }[] } = JSON.parse(text)
      return Servers.length === 2 && Servers.every(({ LastIndex }) => LastIndex === one.server.index())
    })
  for (const { server, worker } of [one, two])
    for (const path of ['/v1/status/leader', '/v1/status/peers', '/v1/operator/raft/configuration'])
      t.is((await worker.send('GET', path)).text, (await server.send('GET', path)).text, path)
})
