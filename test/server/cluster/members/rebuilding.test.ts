// A deposed leader rebuilds its read models, and forwards all requests to the leader meanwhile.
import test, { type ExecutionContext } from 'ava'
import { Committer } from '../../../../actors/committer.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'

/** Two servers: one that leads, and one whose read models cannot be read. */
const withRebuilding = async (t: ExecutionContext): Promise<readonly ClusterServer[]> => {
  const servers = await new TestCluster(t).startAll('one', 'two')
  const committer = servers[1]?.running.scope.resolve(Committer)
  // Requests of the other server wait until then, too, and would keep this one from closing.
  const end = new Promise<void>(resolve => t.teardown(resolve))
  if (committer)
    Object.defineProperties(committer, { isReadable: { value: false }, readable: { value: () => end } })
  return servers
}

test('a write is made by the leader, its body and its refusals are those of the leader', async t => {
  const [one, two] = await withRebuilding(t)
  const value = 'x'.repeat(300_000)
  const put = await two?.send('PUT', '/v1/kv/a', { body: value })
  t.is(put?.text, 'true')
  t.is((await one?.send('GET', '/v1/kv/a?raw'))?.text, value)
  t.is((await two?.send('PUT', '/v1/kv/b', { body: '1', token: 'unknown' }))?.status, 403)
  t.is((await two?.send('PUT', '/v1/kv/b', { body: 'x'.repeat(600_000) }))?.status, 413)
  t.is((await two?.send('PUT', '/v1/kv/c', { body: '1', headers: { Expect: '100-continue' } }))?.text, 'true')
})

test('so is a write without a body, and a read', async t => {
  const [one, two] = await withRebuilding(t)
  await one?.send('PUT', '/v1/kv/a', { body: '1' })
  t.is((await two?.send('GET', '/v1/kv/a?raw'))?.text, '1')
  t.is((await two?.send('DELETE', '/v1/kv/a'))?.text, 'true')
  t.is((await one?.send('GET', '/v1/kv/a'))?.status, 404)
})
