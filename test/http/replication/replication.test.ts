// A datacenter that takes over what its primary has: two servers in one process.
import test, { type ExecutionContext } from 'ava'
import { startDatacenters, type Datacenter } from '../../support/datacenters.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'

const remote = (_from: string, to: string) => (to === 'dc1' ? { token: ROOT } : {})

/** Two datacenters, of which the second takes over what the first has. */
const start = async (t: ExecutionContext): Promise<readonly [Datacenter, Datacenter]> => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], remote })
  return [all.at('dc1'), all.at('dc2')]
}

const made = async (at: Datacenter, path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await at.send('PUT', path, { body: JSON.stringify(body) })
  return JSON.parse(answer.text)
}

test('a token made in the primary works in the secondary, and ends there', async t => {
  const [dc1, dc2] = await start(t)
  const policy = await made(dc1, '/v1/acl/policy', {
    Name: 'keys',
    Rules: 'key_prefix "" { policy = "write" }'
  })
  const token = await made(dc1, '/v1/acl/token', { Description: 'x', Policies: [{ ID: policy['ID'] }] })
  const secret = String(token['SecretID'])
  await until(
    'the token works',
    async () => (await dc2.send('PUT', '/v1/kv/a', { token: secret, body: '1' })).status === 200
  )
  const path = `/v1/acl/token/${String(token['AccessorID'])}`
  const there = JSON.parse((await dc2.send('GET', path)).text)
  t.like(there, { SecretID: secret, Description: 'x', CreateTime: token['CreateTime'], Hash: token['Hash'] })
  await dc1.send('DELETE', path)
  await until('it is gone', async () => (await dc2.send('GET', '/v1/kv/a', { token: secret })).status === 403)
})
