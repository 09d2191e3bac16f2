// The server on the Node that npm itself runs on, which is the machine's own and may be older than the one that tests run on.
import { spawnSync } from 'node:child_process'
import test from 'ava'
import { send } from '../support/client.js'
import { startServer } from '../support/process.js'

const OTHER = process.env['npm_node_execpath'] ?? 'node'
const { stdout: version } = spawnSync(OTHER, ['--version'], { encoding: 'utf8' })

test(`a server on Node ${version.trim()} serves, keeps what was written, and has its secrets encrypted`, async t => {
  const config = { encryption: { key: Buffer.alloc(32, 1).toString('base64') }, log: { compress: true } }
  const first = await startServer(t, { node: OTHER, config })
  const token = await first.bootstrap()
  const put = await send(first.base, 'PUT', '/v1/kv/a', { token, body: 'kept' })
  t.is(put.status, 200)
  await first.stop()
  const second = await startServer(t, { node: OTHER, config, dataDir: first.dataDir })
  t.is((await send(second.base, 'GET', '/v1/kv/a?raw', { token })).text, 'kept')
  t.is((await send(second.base, 'GET', '/v1/agent/metrics', { token })).status, 200)
  await second.stop()
})
