// The causes of commits that the server makes by itself.
import test from 'ava'
import type { Commit } from '../../../events/envelope.js'
import { receiver, status } from '../../support/webhook-receiver.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { restore, save } from '../routes/snapshot/support.js'
import { createToken, indexOf } from '../support.js'
import { hookServer, inTime, putHook, readHook, write } from '../webhooks/support.js'

/** Records later commits by the names of their commands. */
const following = ({ app }: TestServer) => {
  const commits: Commit[] = []
  app.committer.signals.on('applied', commit => commits.push(commit))
  const of = (name: string): readonly Commit[] => commits.filter(({ By }) => By.Command === name)
  return {
    commits,
    of,
    /** Returns the origins of commands with a name, once there is one. */
    causes: (name: string) => until(name, () => of(name).length > 0 && of(name).map(({ By }) => By.Cause))
  }
}

test('the end of a token and of a session names the commit that made it; of several, all of them', async t => {
  const server = await serverInProcess(t)
  const seen = following(server)
  const one = await createToken(server, { ExpirationTTL: '1h' })
  const other = await createToken(server, { ExpirationTTL: '1h' })
  await server.send('PUT', '/v1/acl/token/' + one.AccessorID, { body: { Description: 'changed' } })
  const made = await server.send('PUT', '/v1/session/create', { body: { TTL: '10s' } })
  server.advance(3_700_000)
  t.deepEqual(await seen.causes('ExpireTokens'), [[one.CreateIndex, other.CreateIndex]])
  t.deepEqual(await seen.causes('ExpireSessions'), [indexOf(made)])
})

test('what the deletion of a namespace removes names that deletion, and so does its end', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'a' } })
  for (const key of ['a', 'b']) await server.send('PUT', `/v1/kv/${key}?ns=a`, { body: key })
  const seen = following(server)
  const deleted = indexOf(await server.send('DELETE', '/v1/namespace/a'))
  t.deepEqual(await seen.causes('RemoveNamespace'), [deleted])
  t.deepEqual(await seen.causes('DeleteKey'), [deleted, deleted])
  t.true(seen.commits.every(({ Index, By }) => Index === deleted || By.Cause === deleted))
})

test('the namespaces of a partition go by its deletion, and what is in them by theirs', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/partition', { body: { Name: 'p' } })
  await server.send('PUT', '/v1/kv/a?partition=p', { body: 'a' })
  const seen = following(server)
  const deleted = indexOf(await server.send('DELETE', '/v1/partition/p'))
  t.deepEqual(await seen.causes('RemovePartition'), [deleted])
  t.deepEqual(await seen.causes('DeleteNamespaceOfPartition'), [deleted])
  const [mark] = seen.of('DeleteNamespaceOfPartition')
  t.deepEqual(await seen.causes('DeleteKey'), [mark?.Index])
})

test('the pieces of a restore, and its end, name its beginning', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/a', { body: 'a' })
  const archive = await save(server)
  await server.send('PUT', '/v1/kv/a', { body: 'b' })
  const seen = following(server)
  t.is((await restore(server, archive)).status, 200)
  const [begun] = seen.commits
  t.is(begun?.By.Command, 'RestoreSnapshot')
  t.is(begun?.By.Cause, undefined)
  t.true(seen.of('RestoreSnapshotPiece').length > 0)
  t.true(seen.commits.every(({ Index, By }) => Index === begun?.Index || By.Cause === begun?.Index))
})

test("a check without an update names its last update as cause when it expires, and its service's end names the check", async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'web', Check: { TTL: '30s', DeregisterCriticalServiceAfter: '2m' } }
  await server.send('PUT', '/v1/agent/service/register', { body })
  const seen = following(server)
  await server.send('PUT', '/v1/agent/check/pass/service:web')
  const [update] = seen.of('UpdateAgentCheck')
  server.advance(31_000)
  const expired = await until('the check expires', () => seen.of('UpdateAgentCheck')[1])
  t.is(expired.By.Cause, update?.Index)
  server.advance(121_000)
  t.deepEqual(await seen.causes('DeregisterAgentService'), [expired.Index])
})

test('a dead letter names what could not be delivered', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t, {
    config: { outgoing: { allow: ['127.0.0.1'] }, webhook: { attempts: 1 } }
  })
  hook.answer(status(500))
  const seen = following(server)
  const [first = 0, last = 0] = await write(server, 'load/a', 'load/b')
  await putHook(server, { URL: hook.url, Index: first - 1 })
  await inTime(server, 'it is given up', async () => (await readHook(server)).DeadLetters === 1)
  t.deepEqual(await seen.causes('SkipDeadLetter'), [[first, last]])
})
