// How much a tenant notices when the namespace of another, with 100,000 things in it, is deleted.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../../dist/test/support/client.js'
import { targetText } from '../statistics.mjs'

const THINGS = 100_000
const TOKENS = 1000
const KEYS_AT_ONCE = 64
const CONNECTIONS = 16
const MOST = 2

async function fill(server) {
  for (const Name of ['big', 'other']) await server.call('PUT', '/v1/namespace', { Name })
  for (let i = 0; i < 100; i++) await server.call('PUT', `/v1/kv/app/${i}?ns=other`, { at: i })
  for (let i = 0; i < TOKENS; i++)
    await server.call('PUT', '/v1/acl/token?ns=big', { Description: 'a tenant' })
  for (let at = 0; at < THINGS - TOKENS; at += KEYS_AT_ONCE) {
    const count = Math.min(KEYS_AT_ONCE, THINGS - TOKENS - at)
    const operation = i => ({
      KV: { Verb: 'set', Key: `key/${at + i}`, Value: 'dmFsdWU=', Namespace: 'big' }
    })
    await server.call(
      'PUT',
      '/v1/txn',
      Array.from({ length: count }, (_, i) => operation(i))
    )
  }
}

async function* measure(tools) {
  const server = await tools.start({})
  await fill(server)
  const load = seconds =>
    tools.client.ask({
      scenario: join(import.meta.dirname, '..', 'namespace-load.mjs'),
      context: { token: server.root },
      port: server.port,
      connections: CONNECTIONS,
      seconds
    })
  const isThere = async () =>
    (await send(server.base, 'GET', '/v1/namespace/big', { token: server.root })).status === 200
  await load(1)
  const before = await load(tools.seconds)
  const began = performance.now()
  await send(server.base, 'DELETE', '/v1/namespace/big', { token: server.root })
  const during = await load(tools.seconds)
  const isMeasured = await isThere()
  while (await isThere()) await pause(100)
  const seconds = (performance.now() - began) / 1000
  const ratio = during.p99 / before.p99
  if (!isMeasured) throw new Error('the namespace was gone before the measurement was over')
  yield (
    `namespace-deletion ${CONNECTIONS} conn  ${THINGS} things gone in ${seconds.toFixed(0)} s; p99 before ${before.p99.toFixed(2)} ms, ` +
    `during the deletion ${during.p99.toFixed(2)} ms: ${ratio.toFixed(2)} times${targetText(ratio, MOST, false)}`
  )
  await server.stop()
}

export const scenario = { name: 'namespace-deletion', measure }
