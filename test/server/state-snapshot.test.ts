// Snapshots of the read models as an operator meets them: a process of its own writes them, a start uses them, and nothing
// depends on them.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { DependencyContainer } from 'tsyringe'
import { LOGGER } from '../../server/settings/ports.js'
import { makeSnapshot } from '../../server/snapshots/make-snapshot.js'
import { createLogger } from '../../server/telemetry/logging/logger.js'
import { annals } from '../support/command-line.js'
import { startServer, temporaryFolder } from '../support/process.js'
import { send } from '../support/client.js'
import { ROOT, serverInProcess } from '../support/server.js'
import { until } from '../support/wait.js'

const folderOf = (dataDir: string): string => join(dataDir, 'log/snapshots')

const filesOf = (dataDir: string): readonly string[] => {
  try {
    return readdirSync(folderOf(dataDir)).toSorted()
  } catch {
    return []
  }
}

interface Address {
  readonly base: string
}

const setKeys = async (server: Address, count: number): Promise<void> => {
  for (let i = 0; i < count; i++)
    await send(server.base, 'PUT', `/v1/kv/key-${i % 7}`, { token: ROOT, body: `v${i}` })
}

const stateOf = async (server: Address) =>
  (await send(server.base, 'GET', '/v1/kv/?recurse', { token: ROOT })).text

/** A server in this process with a log on disk, and what it logs. */
const serverOf = async (t: ExecutionContext, dataDir: string, config: object = {}) => {
  let text = ''
  const logger = createLogger(
    { log: { level: 'info', pretty: false } },
    { write: (line: string): void => void (text += line) }
  )
  const register = (scope: DependencyContainer): void => void scope.registerInstance(LOGGER, logger)
  const server = await serverInProcess(t, { dataDir, config: { ...config }, register })
  return { ...server, log: () => text }
}

const options = { initialManagement: ROOT, config: { snapshot: { commits: 20 } } }

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
  const dataDir = temporaryFolder(t)
  const server = await serverOf(t, dataDir)
  await setKeys(server, 10)
  const state = await stateOf(server)
  await server.close()
  const { code, output } = await annals(['log', 'snapshot', '--data-dir', dataDir])
  t.is(code, 0, output)
  const [name = ''] = filesOf(dataDir)
  const file = join(folderOf(dataDir), name)
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100)
  writeFileSync(file, bytes)
  const second = await serverOf(t, dataDir)
  t.regex(second.log(), /a snapshot was skipped/)
  t.regex(second.log(), /"snapshot":0,/)
  t.is(await stateOf(second), state)
})

test('where a key is configured, it is needed to make one and to read it', async t => {
  const encryption = { key: randomBytes(32).toString('base64') }
  const dataDir = temporaryFolder(t)
  const server = await serverOf(t, dataDir, { encryption })
  await setKeys(server, 10)
  const state = await stateOf(server)
  const config = join(temporaryFolder(t), 'config.json')
  writeFileSync(config, JSON.stringify({ data_dir: dataDir, encryption }))
  const { code, output } = await annals(['log', 'snapshot', '--config', config])
  t.is(code, 0, output)
  await server.close()
  const second = await serverOf(t, dataDir, { encryption })
  t.regex(second.log(), /"snapshot":[1-9]/)
  t.is(await stateOf(second), state)
  await second.close()
  const without = await annals(['log', 'snapshot', '--data-dir', dataDir])
  t.is(without.code, 1)
})

test('a base snapshot is created as soon as its commit is in the files', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const { settings, app } = server
  const base = app.views.index + 1
  const created = makeSnapshot({ settings, base }).then(
    ({ index }) => index,
    (error: unknown) => String(error)
  )
  // Takes longer than reading the files for the base snapshot.
  await makeSnapshot({ settings })
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  t.is(app.views.index, base)
  t.is(await created, base)
})
