// A datacenter that resolves tokens in the primary instead of replicating them.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import test from 'ava'
import { WebSocket } from 'ws'
import { ANONYMOUS_ACCESSOR } from '../../../../events/token.js'
import { encryptTokenResolution, TOKEN_PATH } from '../../../../http/routes/internal/acl-token.js'
import { ask, dataOf } from '../../../support/dns.js'
import { serverInProcess } from '../../../support/server.js'
import { openStream } from '../../../support/stream.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken } from '../../../http/support.js'
import { MAY_WRITE, tokenWith, withoutReplication, writes } from './remote-tokens.js'
import { stillClock } from './support.js'

test('a token that only the primary knows has its rights here, and no others', async t => {
  const { primary, secondary } = await withoutReplication(t)
  const { SecretID: token } = await tokenWith(primary, 'key_prefix "a/" { policy = "write" }')
  t.is((await secondary.send('PUT', '/v1/kv/a/b', { token, body: 'x' })).status, 200)
  t.is((await secondary.send('GET', '/v1/kv/a/b?raw', { token })).text, 'x')
  t.is((await secondary.send('PUT', '/v1/kv/b', { token, body: 'x' })).status, 403)
  const unknown = await secondary.send('GET', '/v1/kv/a/b', { token: 'unknown' })
  t.deepEqual([unknown.status, unknown.text], [403, 'ACL not found'])
})

test('rights come by roles and by the defaults of a namespace as well', async t => {
  const { primary, secondary } = await withoutReplication(t)
  const ID = await createPolicy(primary, 'keys', MAY_WRITE)
  await primary.send('PUT', '/v1/acl/role', { body: { Name: 'r', Policies: [{ ID }] } })
  const { SecretID: byRole } = await createToken(primary, { Roles: [{ Name: 'r' }] })
  t.is(await writes(secondary, byRole), 200)
  const ACLs = { PolicyDefaults: [{ ID }] }
  for (const server of [primary, secondary])
    await server.send('PUT', '/v1/namespace', { body: { Name: 'n' } })
  await primary.send('PUT', '/v1/namespace/n', { body: { Name: 'n', ACLs } })
  const made = await primary.send('PUT', '/v1/acl/token?ns=n', { body: {} })
  const { SecretID: token }: { readonly SecretID: string } = JSON.parse(made.text)
  t.is((await secondary.send('PUT', '/v1/kv/a?ns=n', { token, body: 'x' })).status, 200)
})

test('a token resolution is requested once and cached for its time', async t => {
  const { primary, secondary, advance } = await withoutReplication(t, {}, undefined, stillClock())
  const { AccessorID, SecretID: token } = await tokenWith(primary, MAY_WRITE)
  // Other datacenters ask without a token now and then: the anonymous one is known before.
  t.is(await writes(secondary, undefined), 403)
  await Promise.all([writes(secondary, token), writes(secondary, token), writes(secondary, token)])
  t.regex(
    await secondary.app.metrics.prometheus(),
    /annals_remote_token_requests_total\{outcome="known"\} 2\n/
  )
  await primary.send('DELETE', `/v1/acl/token/${AccessorID}`)
  advance(29_000)
  t.is(await writes(secondary, token), 200)
  advance(1001)
  t.is(await writes(secondary, token), 403)
})

test('an unknown secret is soon requested again, because its token may be new', async t => {
  const { primary, secondary, advance } = await withoutReplication(t, {}, undefined, stillClock())
  const SecretID = '11111111-2222-3333-4444-555555555555'
  t.is(await writes(secondary, SecretID), 403)
  await tokenWith(primary, MAY_WRITE, { SecretID })
  t.is(await writes(secondary, SecretID), 403)
  advance(2001)
  t.is(await writes(secondary, SecretID), 200)
})

test('the anonymous token is that of the primary', async t => {
  const { primary, secondary, advance } = await withoutReplication(t)
  t.is(await writes(secondary, undefined), 403)
  const ID = await createPolicy(primary, 'keys', MAY_WRITE)
  await primary.send('PUT', `/v1/acl/token/${ANONYMOUS_ACCESSOR}`, { body: { Policies: [{ ID }] } })
  advance(30_001)
  t.is(await writes(secondary, undefined), 200)
})

test('a token that is local in the primary says so', async t => {
  const { primary, secondary } = await withoutReplication(t)
  const { SecretID: token } = await tokenWith(primary, MAY_WRITE, { Local: true })
  const refused = await secondary.send('PUT', '/v1/kv/a', { token, body: 'x' })
  t.is(refused.status, 403)
  t.is(refused.text, 'Permission denied: This is a local token in datacenter "dc1"')
})

test('policies and identities of certain datacenters count there alone', async t => {
  const { primary, secondary } = await withoutReplication(t)
  const policyIn = async (name: string): Promise<string> => {
    const body = { Name: `in-${name}`, Rules: MAY_WRITE, Datacenters: [name] }
    return JSON.parse((await primary.send('PUT', '/v1/acl/policy', { body })).text).ID
  }
  for (const name of ['dc1', 'dc2']) {
    const { SecretID: token } = await createToken(primary, { Policies: [{ ID: await policyIn(name) }] })
    t.is(await writes(primary, token), name === 'dc1' ? 200 : 403)
    t.is(await writes(secondary, token), name === 'dc2' ? 200 : 403)
    const { SecretID: ofNode } = await createToken(primary, {
      NodeIdentities: [{ NodeName: 'n', Datacenter: name }]
    })
    const { SecretID: ofService } = await createToken(primary, {
      ServiceIdentities: [{ ServiceName: 's', Datacenters: [name] }]
    })
    const isAllowed = async (server: typeof primary, given: string, Resource: string, Segment: string) => {
      const body = [{ Resource, Access: 'write', Segment }]
      const { text } = await server.send('POST', '/v1/internal/acl/authorize', { token: given, body })
      const [answer]: readonly { readonly Allow: boolean }[] = JSON.parse(text)
      return answer?.Allow
    }
    for (const server of [primary, secondary]) {
      t.is(await isAllowed(server, ofNode, 'node', 'n'), server.name === name)
      t.is(await isAllowed(server, ofService, 'service', 's'), server.name === name)
    }
  }
})

test('streams and WebSockets of a token of the primary open, and end when it has gone', async t => {
  const { primary, secondary, advance } = await withoutReplication(t)
  const { AccessorID, SecretID: token } = await tokenWith(
    primary,
    'operator = "read" key_prefix "" { policy = "read" }'
  )
  const socket = new WebSocket(`ws://127.0.0.1:${secondary.port}/v1/event/stream?topic=KV&index=1`, {
    headers: { 'X-Service-Token': token }
  })
  t.teardown(() => socket.terminate())
  let closed = 0
  socket.on('error', () => {})
  socket.on('close', code => (closed = code))
  await until('the WebSocket is open', () => socket.readyState === WebSocket.OPEN)
  const reader = await openStream(secondary.base, 'topic=KV&index=1', { token })
  await secondary.send('PUT', '/v1/kv/a', { body: '1' })
  t.is((await reader.message()).Events?.[0]?.Key, 'a')
  await primary.send('DELETE', `/v1/acl/token/${AccessorID}`)
  advance(30_001)
  await until('the WebSocket is closed', () => closed > 0)
  await until('no stream is open', () => secondary.app.streams.size === 0)
})

test('the token by which DNS answers may be one of the primary', async t => {
  const SecretID = '99999999-2222-3333-4444-555555555555'
  const { primary, secondary } = await withoutReplication(t, {
    acl: { tokens: { default: SecretID } },
    ports: { http: 0, dns: 0 }
  })
  await tokenWith(primary, 'node_prefix "" { policy = "read" }', { SecretID })
  await secondary.send('PUT', '/v1/catalog/register', { body: { Node: 'n1', Address: '192.0.2.7' } })
  const { dnsPort = 0 } = secondary
  t.deepEqual(dataOf(await ask(dnsPort, 'n1.node.consul', 'A')), ['192.0.2.7'])
})

test('only servers of datacenters receive token resolutions', async t => {
  const { primary } = await withoutReplication(t)
  const { SecretID } = await createToken(primary)
  for (const body of [{ SecretID }, { Sealed: 'bm90IHNlYWxlZCBieSB0aGUga2V5LCBidXQgbG9uZyBlbm91Z2g' }, {}]) {
    const refused = await primary.send('POST', '/v1/internal/acl/token', { body })
    t.is(refused.status, 403)
    t.regex(refused.text, /^Permission denied: only servers of other datacenters may resolve tokens/)
  }
})

test('a datacenter with another key receives no resolutions, and logs the reason', async t => {
  const { primary, secondary } = await withoutReplication(t, {
    replication: { key: Buffer.alloc(32, 1).toString('base64') }
  })
  const { SecretID: token } = await tokenWith(primary, MAY_WRITE)
  t.is(await writes(secondary, token), 403)
  t.regex(
    await secondary.app.metrics.prometheus(),
    /annals_remote_token_requests_total\{outcome="failed"\} [1-9]\d*\n/
  )
})

test('an answer of the primary that tells of no token counts as none', async t => {
  const key = Buffer.alloc(32, 9)
  let answer = ''
  const primary = createServer((request, response) => {
    buffer(request).then(body => {
      if (request.url !== TOKEN_PATH) return response.writeHead(404).end()
      const { Sealed }: { readonly Sealed: string } = JSON.parse(body.toString())
      return response.end(JSON.stringify({ Sealed: encryptTokenResolution(key, answer, Sealed) }))
    }, t.fail)
  })
  primary.listen(0, '127.0.0.1')
  await once(primary, 'listening')
  t.teardown(() => {
    primary.closeAllConnections()
    primary.close()
  })
  const { port }: AddressInfo = Object(primary.address())
  const secondary = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      primary_datacenter: 'dc1',
      datacenters: { dc1: { url: `http://127.0.0.1:${port}` } },
      replication: { key: key.toString('base64') }
    }
  })
  const token = { AccessorID: 'a', Policies: [{ ID: 'p', Name: 'p' }] }
  const malformed = [
    '{"kind":"token"}',
    JSON.stringify({ kind: 'token', token, tenancy: {}, policies: [], roles: [] }),
    '{"kind":"another"}',
    '[]',
    'no JSON'
  ]
  for (const [i, text] of malformed.entries()) {
    answer = text
    const { status } = await secondary.send('GET', '/v1/kv/a', { token: `secret ${i}` })
    t.is(status, 403, text)
    secondary.advance(1001)
  }
  t.regex(
    await secondary.app.metrics.prometheus(),
    /annals_remote_token_requests_total\{outcome="failed"\} 5\n/
  )
})
