// Archives that hold the whole log, and servers that go on with it.
import test from 'ava'
import { createToken, indexOf } from '../../support.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { send } from '../../../support/client.js'
import { contentOf, restore, save } from './support.js'

test('a new server goes on with the log of a snapshot: its indexes, its history and its tokens', async t => {
  const source = await serverInProcess(t)
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const second = indexOf(await source.send('PUT', '/v1/kv/a', { body: 'two' }))
  const token = await createToken(source, { Description: 'from the source' })
  const bytes = await save(source)

  const target = await serverInProcess(t, { config: { node_name: 'server-2' } })
  t.is((await restore(target, bytes)).status, 200)
  const { headers, text } = await target.send('GET', '/v1/kv/a')
  t.is(Number(JSON.parse(text)[0].ModifyIndex), second)
  t.true(Number(headers['x-service-index']) >= second)
  const self = await send(target.base, 'GET', '/v1/acl/token/self', { token: token.SecretID })
  t.is(self.status, 200)
  const versions: number[] = []
  for await (const { Index } of target.app.log.history('KV', 'default', 'default', 'a')) versions.push(Index)
  t.is(versions.length, 2)
  t.is(versions[1], second)
  const first = source.app.views.index + 1
  for await (const { Index, By } of target.app.log.read(first)) {
    t.is(Index, first)
    t.is(By.Command, 'RestoreLog')
    break
  }
  const written = indexOf(await target.send('PUT', '/v1/kv/b', { body: 'three' }))
  t.true(written > first)
  const nodes = await target.send('GET', '/v1/catalog/nodes')
  t.regex(nodes.text, /server-2/)
  const stream = await target.send('GET', `/v1/event/stream?topic=KV&index=1&until=now`)
  t.deepEqual(
    stream.text
      .split('\n')
      .flatMap(line => JSON.parse(line || '{}').Events?.map(({ Key }: { Key: string }) => Key) ?? []),
    ['a', 'a', 'b']
  )
})

test('in a log that has been written the state comes as a commit of pieces', async t => {
  const source = await serverInProcess(t)
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const bytes = await save(source)
  const target = await serverInProcess(t)
  await target.send('PUT', '/v1/kv/gone', { body: 'x' })
  t.is((await restore(target, bytes)).status, 200)
  t.is((await target.send('GET', '/v1/kv/gone')).status, 404)
  const commands: string[] = []
  for await (const { By } of target.app.log.read(1)) commands.push(By.Command)
  t.true(commands.includes('RestoreSnapshot') && !commands.includes('RestoreLog'))
  t.is(contentOf(target), contentOf(source))
})

test('the log that was exchanged is the one of the next start', async t => {
  const source = await serverInProcess(t)
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const target = await serverInProcess(t)
  await restore(target, await save(source))
  const index = indexOf(await target.send('PUT', '/v1/kv/b', { body: 'two' }))
  await target.close()
  const again = await serverInProcess(t, { dataDir: target.settings.data_dir })
  t.true(again.app.views.index >= index)
  t.is((await again.send('GET', '/v1/kv/b?raw', { token: ROOT })).text, 'two')
})
