// The effect on a tenant when a namespace of another tenant, with 100,000 resources, is deleted.
import { join } from 'node:path'
import { send } from '../../dist/test/support/client.js'
import { targetText } from '../statistics.mjs'

const RESOURCES = 100_000
const TOKENS = 1000
const KEYS_AT_ONCE = 64
const CONNECTIONS = 16
const MOST = 2

async function fill(server) {
  for (const Name of ['big', 'other']) await server.call('PUT', '/v1/namespace', { Name })
  for (let i = 0; i < 100; i++) await server.call('PUT', `/v1/kv/app/${i}?ns=other`, { at: i })
  for (let i = 0; i < TOKENS; i++)
    await server.call('PUT', '/v1/acl/token?ns=big', { Description: 'a tenant' })
  for (let at = 0; at < RESOURCES - TOKENS; at += KEYS_AT_ONCE) {
    const count = Math.min(KEYS_AT_ONCE, RESOURCES - TOKENS - at)
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

/** Loads of the other tenant: a mix of reads and writes, and reads only, which no flush of their own delays. */
const LOADS = ['namespace-load.mjs', 'namespace-reads.mjs']

async function measureWith(tools, file) {
  const server = await tools.start({})
  await fill(server)
  const load = during =>
    tools.client.ask({
      scenario: join(import.meta.dirname, '..', file),
      context: { token: server.root },
      port: server.port,
      connections: CONNECTIONS,
      ...during
    })
  await load({ seconds: 1 })
  const before = await load({ seconds: tools.seconds })
  await send(server.base, 'DELETE', '/v1/namespace/big', { token: server.root })
  const during = await load({ whileThere: '/v1/namespace/big' })
  await server.stop()
  const ratio = during.p99 / before.p99
  return (
    `namespace-deletion ${file} ${CONNECTIONS} conn  ${RESOURCES} resources deleted in ${during.took.toFixed(1)} s; ` +
    `p99 before ${before.p99.toFixed(2)} ms, during the whole deletion ${during.p99.toFixed(2)} ms: ` +
    `${ratio.toFixed(2)} times${targetText(ratio, MOST, false)}`
  )
}

async function* measure(tools) {
  for (const file of LOADS) yield await measureWith(tools, file)
}

export const scenario = { name: 'namespace-deletion', measure }
