import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { until } from '../../support/wait.js'
import { createToken } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'

test('a commit that the log refused is never seen, and its index is that of the next one', async t => {
  const log = new MemoryEventLog({ failAt: 8 })
  const server = await streamServer(t, { log })
  const { SecretID } = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  while (server.app.views.index < 7) commit(server, event('KV', 'before'))
  const [root, other] = [await read(t, server), await read(t, server, '', { token: SecretID })]
  await Promise.all([root.upTo(7), other.upTo(7)])
  const failed = await server.send('PUT', '/v1/acl/token', { body: { Description: 'phantom' } })
  t.is(failed.status, 503)
  const index = await until('a write', async () => {
    const { status, text } = await server.send('PUT', '/v1/acl/token', { body: { Description: 'real' } })
    if (status !== 200) return undefined
    const { CreateIndex }: { readonly CreateIndex: number } = JSON.parse(text)
    return CreateIndex
  })
  t.is(index, 8)
  for (const reader of [root, other]) {
    t.like(await reader.message(), { Index: 8, Events: [{ Payload: { ACLToken: { Description: 'real' } } }] })
    t.false(reader.bytes.includes('phantom'))
    t.is(reader.state, 'open')
  }
})

/** Beyond what a server writes at its start. */
const FAILS_AT = 40

test('a token whose deletion the log refused keeps its streams', async t => {
  const log = new MemoryEventLog({ failAt: FAILS_AT })
  const server = await streamServer(t, { log })
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  while (server.app.views.index < FAILS_AT - 1) commit(server, event('KV', 'before'))
  const reader = await read(t, server, '', { token: SecretID })
  await reader.upTo(FAILS_AT - 1)
  t.is((await server.send('DELETE', `/v1/acl/token/${AccessorID}`)).status, 503)
  await until('a write', async () => (await server.send('PUT', '/v1/acl/token', { body: {} })).status === 200)
  t.is((await reader.message()).Index, FAILS_AT)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.like(await reader.last(), { Error: { Code: 403 }, LastIndex: FAILS_AT })
})
