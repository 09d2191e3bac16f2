// What a cluster takes while etcd has little room left.
import test from 'ava'
import { TestCluster } from '../../../support/cluster.js'

test('at half of what etcd may hold only deletions are taken, and all again when it has room', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  t.is((await one.send('PUT', '/v1/kv/a', { body: 'x' })).status, 200)
  let count = 0
  const put = () => two.send('PUT', '/v1/kv/b', { body: String(++count) })
  const gauge = async (): Promise<string> =>
    (await one.send('GET', '/v1/agent/metrics?format=prometheus')).text

  cluster.memory.usage = { bytes: 2 ** 30 - 1, isFull: false }
  cluster.advance(6000)
  t.is((await put()).status, 200)

  cluster.memory.usage = { bytes: 2 ** 30, isFull: false }
  await cluster.until('it is refused', async () => (await put()).status === 503)
  t.regex((await put()).text, /etcd holds half of what it may \(cluster\.etcd\.quota\).*nothing was changed/)
  t.is((await one.send('DELETE', '/v1/kv/a')).status, 200)
  t.is((await one.send('GET', '/v1/kv/b?raw')).status, 200)
  t.regex(await gauge(), /^annals_cluster_etcd_short 1$/m)
  t.regex(await gauge(), /^annals_cluster_etcd_bytes 1073741824$/m)
  // All went that could.
  t.is(cluster.memory.floor > 1, true)

  cluster.memory.usage = { bytes: 1000, isFull: true }
  await cluster.until('the reason is reported', async () => (await put()).text.includes('NOSPACE'))

  cluster.memory.usage = { bytes: 1000, isFull: false }
  await cluster.until('it is taken again', async () => (await put()).status === 200)
  t.regex(await gauge(), /^annals_cluster_etcd_short 0$/m)
})
