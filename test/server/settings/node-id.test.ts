// The ID of a server, which its data folder keeps.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess, testSettings, type TestServer } from '../../support/server.js'

const GIVEN = '5ec51e41-0000-4000-8000-000000000001'

const catalogIdOf = async (server: TestServer): Promise<string> => {
  const [node] = JSON.parse((await server.send('GET', '/v1/catalog/nodes')).text)
  return node.ID
}

test('new servers have random IDs, also of one name, and keep them', async t => {
  const dataDir = join(temporaryFolder(t), 'data')
  const [one, other] = [await serverInProcess(t, { dataDir }), await serverInProcess(t)]
  t.not(await catalogIdOf(one), await catalogIdOf(other))
  const id = await catalogIdOf(one)
  t.is(readFileSync(join(dataDir, 'node-id'), 'utf8'), `${id}\n`)
  await one.close()
  const again = await serverInProcess(t, { dataDir, config: { datacenter: 'dc1', node_meta: { a: 'b' } } })
  t.is(await catalogIdOf(again), id)
})

test('a folder of an earlier version keeps the ID that is derived from names', async t => {
  const folders = [join(temporaryFolder(t), 'data'), join(temporaryFolder(t), 'data')]
  const ids: string[] = []
  for (const dataDir of folders) {
    const first = await serverInProcess(t, { dataDir })
    await first.close()
    rmSync(join(dataDir, 'node-id'))
    const again = await serverInProcess(t, { dataDir })
    ids.push(again.settings.node_id)
    t.is(await catalogIdOf(again), again.settings.node_id)
    t.true(existsSync(join(dataDir, 'node-id')))
  }
  t.is(ids[0], ids[1])
})

test('node_id wins over the ID of the folder', async t => {
  const dataDir = join(temporaryFolder(t), 'data')
  const first = await serverInProcess(t, { dataDir })
  await first.close()
  const given = await serverInProcess(t, { dataDir, config: { node_id: GIVEN } })
  t.is(await catalogIdOf(given), GIVEN)
})

test('a damaged ID is refused with its file', t => {
  const dataDir = join(temporaryFolder(t), 'data')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'node-id'), 'nonsense')
  t.throws(() => testSettings(t, { dataDir }), {
    name: 'SettingsError',
    message: /node-id holds "nonsense" in place of a UUID/
  })
})

test('a restored copy is another server, whose node has the services of the one before', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  await server.send('PUT', '/v1/agent/service/register', { body: '{"Name":"web"}' })
  const folder = temporaryFolder(t)
  const [backup, dataDir] = [join(folder, 'backup'), join(folder, 'restored')]
  t.is((await annals(['log', 'backup', backup, '--data-dir', server.settings.data_dir])).code, 0)
  t.is((await annals(['log', 'restore', backup, '--data-dir', dataDir])).code, 0)
  const copy = await serverInProcess(t, { dataDir })
  t.not(copy.settings.node_id, server.settings.node_id)
  t.is(await catalogIdOf(copy), copy.settings.node_id)
  const [web] = JSON.parse((await copy.send('GET', '/v1/health/service/web?passing')).text)
  t.is(web.Node.ID, copy.settings.node_id)
})
