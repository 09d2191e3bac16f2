// A datacenter that does not replicate the tokens of the primary, and has them told from there.
import test, { type ExecutionContext } from 'ava'
import { startDatacenters, type Datacenter, type TestDatacenters } from '../../support/datacenters.js'
import type { TestServerOptions } from '../../support/server.js'

/** The primary and a datacenter that replicates nothing, with no token of its own but the anonymous one. */
const withoutReplication = (t: ExecutionContext, acl: object = {}): Promise<TestDatacenters> =>
  startDatacenters(t, {
    names: ['dc1', 'dc2'],
    of: (name): TestServerOptions =>
      name === 'dc1' ? {} : { config: { acl: { enabled: true, default_policy: 'deny', ...acl } } }
  })

interface Made {
  readonly AccessorID: string
  readonly SecretID: string
}

/** Makes a token at the primary that may do what the rules say. */
const tokenWith = async (primary: Datacenter, rules: string, more: object = {}): Promise<Made> => {
  const Name = `p${Math.random().toString(36).slice(2)}`
  await primary.send('PUT', '/v1/acl/policy', { body: { Name, Rules: rules } })
  const { text } = await primary.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name }], ...more } })
  return JSON.parse(text)
}

test('a token that only the primary knows has its rights here', async t => {
  const all = await withoutReplication(t)
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  const { SecretID: token } = await tokenWith(dc1, 'key_prefix "a/" { policy = "write" }')
  t.is((await dc2.send('PUT', '/v1/kv/a/b', { token, body: 'x' })).status, 200)
  t.is((await dc2.send('GET', '/v1/kv/a/b?raw', { token })).text, 'x')
  t.is((await dc2.send('PUT', '/v1/kv/b', { token, body: 'x' })).status, 403)
})
