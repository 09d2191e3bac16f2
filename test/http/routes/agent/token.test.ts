import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { secretWith } from '../../support.js'

test('the default token stands in for requests without one, until it is taken away', async t => {
  const server = await serverInProcess(t)
  const Token = await secretWith(server, 'reader', 'acl = "read"')
  const list = async (): Promise<number> =>
    (await server.send('GET', '/v1/acl/policies', { token: undefined })).status
  t.is(await list(), 403)
  t.is((await server.send('PUT', '/v1/agent/token/default', { body: { Token } })).status, 200)
  t.is(await list(), 200)
  t.is((await server.send('PUT', '/v1/agent/token/acl_token', { body: { Token: '' } })).status, 200)
  t.is(await list(), 403)
})

test('only who may write to the agent sets its tokens, and only those it uses', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'other', 'agent_prefix "" { policy = "read" }')
  t.is((await server.send('PUT', '/v1/agent/token/default', { token, body: { Token: 'x' } })).status, 403)
  t.is((await server.send('PUT', '/v1/agent/token/nonsense', { body: { Token: 'x' } })).status, 404)
})

test('every token of an agent is taken under its present and its former names, and kept', async t => {
  const server = await serverInProcess(t)
  const { agentTokens } = server.app
  for (const [kind, former] of [
    ['default', 'acl_token'],
    ['agent', 'acl_agent_token'],
    ['agent_recovery', 'agent_master'],
    ['agent_recovery', 'acl_agent_master_token'],
    ['replication', 'acl_replication_token']
  ] as const)
    for (const [name, Token] of [
      [kind, 'present'],
      [former, 'former'],
      [kind, '']
    ] as const) {
      const { status, text } = await server.send('PUT', `/v1/agent/token/${name}`, { body: { Token } })
      t.deepEqual([status, text], [200, ''], name)
      t.is(agentTokens.secretOf(kind), Token || undefined, name)
    }
})

test('without ACLs there are no tokens to set', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const { status, text } = await server.send('PUT', '/v1/agent/token/default', { body: { Token: 'x' } })
  t.deepEqual([status, text], [401, 'ACL support disabled'])
})
