// Snapshots of the read models as an operator meets them: a process of its own writes them, a start uses them, and nothing
// depends on them.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../support/command-line.js'
import { runProgram, startServer, temporaryFolder, type ServerProcess } from '../support/process.js'
import { send } from '../support/client.js'
import { until } from '../support/wait.js'

const SECRET = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'

const folderOf = (dataDir: string): string => join(dataDir, 'log/snapshots')

const filesOf = (dataDir: string): readonly string[] => {
  try {
    return readdirSync(folderOf(dataDir)).toSorted()
  } catch {
    return []
  }
}

const setKeys = async (server: ServerProcess, count: number): Promise<void> => {
  for (let i = 0; i < count; i++)
    await send(server.base, 'PUT', `/v1/kv/key-${i % 7}`, { token: SECRET, body: `v${i}` })
}

const stateOf = async (server: ServerProcess) =>
  (await send(server.base, 'GET', '/v1/kv/?recurse', { token: SECRET })).text

const options = { initialManagement: SECRET, config: { snapshot: { commits: 20 } } }

test('a server has them written beside it, and starts from the newest one', async t => {
  const server = await startServer(t, options)
  const { dataDir } = server
  await setKeys(server, 25)
  await until('a snapshot is written', () =>
    server.log().includes('a snapshot of the read models was written')
  )
  await setKeys(server, 5)
  const state = await stateOf(server)
  await server.stop()
  t.true(filesOf(dataDir).length > 0)
  for (const name of filesOf(dataDir)) t.is(statSync(join(folderOf(dataDir), name)).mode & 0o777, 0o600)

  const second = await startServer(t, { ...options, dataDir })
  t.regex(second.log(), /"snapshot":[1-9]\d*,"ms":\d+,"msg":"the read models are ready"/)
  t.is(await stateOf(second), state)
  await second.kill()
})

test('one that is damaged, or of another server, costs time only', async t => {
  const server = await startServer(t, options)
  const { dataDir } = server
  await setKeys(server, 10)
  const state = await stateOf(server)
  await server.stop()
  const { code, output } = await annals(['log', 'snapshot', '--data-dir', dataDir])
  t.is(code, 0, output)
  const [name = ''] = filesOf(dataDir)
  const file = join(folderOf(dataDir), name)
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100)
  writeFileSync(file, bytes)
  const second = await startServer(t, { ...options, dataDir })
  t.regex(second.log(), /a snapshot was skipped/)
  t.regex(second.log(), /"snapshot":0,/)
  t.is(await stateOf(second), state)
  await second.stop()
})

test('where a key is configured, it is needed to make one and to read it', async t => {
  const encryption = { key: randomBytes(32).toString('base64') }
  const server = await startServer(t, { ...options, config: { encryption } })
  await setKeys(server, 10)
  const state = await stateOf(server)
  const { dataDir } = server
  const config = join(temporaryFolder(t), 'config.json')
  writeFileSync(config, JSON.stringify({ data_dir: dataDir, encryption }))
  const { code, output } = await runProgram(['log', 'snapshot', '--config', config])
  t.is(code, 0, output)
  await server.stop()
  const second = await startServer(t, { ...options, dataDir, config: { encryption } })
  t.regex(second.log(), /"snapshot":[1-9]/)
  t.is(await stateOf(second), state)
  await second.stop()
  const without = await annals(['log', 'snapshot', '--data-dir', dataDir])
  t.is(without.code, 1)
})
