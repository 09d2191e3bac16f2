// Logouts in a datacenter that has its global tokens from the primary (spec: auth.md §9).
import test from 'ava'
import { shutOff, type Datacenter } from '../../../support/datacenters.js'
import { until } from '../../../support/wait.js'
import { startPair } from '../replication/support.js'
import { tokenOf } from '../../../http/support.js'
import { credential, METHOD } from '../../../http/tenancy/tenants.js'

const RULE = { AuthMethod: METHOD.Name, BindType: 'service', BindName: 'web' }

const addMethod = async (server: Datacenter, more: object): Promise<void> => {
  await server.send('PUT', '/v1/acl/auth-method', { body: { ...METHOD, ...more } })
  await server.send('PUT', '/v1/acl/binding-rule', { body: RULE })
}

const login = async (server: Datacenter): Promise<string> => {
  const body = { AuthMethod: METHOD.Name, BearerToken: await credential() }
  return tokenOf(await server.send('POST', '/v1/acl/login', { token: undefined, body })).SecretID
}

const logout = async (server: Datacenter, token: string, query = ''): Promise<readonly [number, string]> => {
  const { status, text } = await server.send('POST', `/v1/acl/logout${query}`, { token })
  return [status, text]
}

const statusOf = async (server: Datacenter, token: string): Promise<number> =>
  (await server.send('GET', '/v1/acl/token/self', { token })).status

test('a global token ends in the primary, wherever it logs out', async t => {
  const [dc1, dc2] = await startPair(t)
  await addMethod(dc1, { TokenLocality: 'global' })
  for (const [server, query] of [
    [dc2, ''],
    [dc2, '?dc=dc2'],
    [dc2, '?dc=dc1'],
    [dc1, '?dc=dc2']
  ] as const) {
    const token = await login(dc1)
    await until('the copy is there', async () => (await statusOf(dc2, token)) === 200)
    t.deepEqual(await logout(server, token, query), [200, 'true'], `${server.name}${query}`)
    t.is(await statusOf(dc1, token), 403)
    await until('the copy has ended', async () => (await statusOf(dc2, token)) === 403)
  }
})

test('a local token ends where it counts, and what no login has made stays', async t => {
  const [dc1, dc2] = await startPair(t)
  await addMethod(dc2, {})
  const token = await login(dc2)
  t.deepEqual(await logout(dc1, token), [403, 'ACL not found'])
  await shutOff(dc1, dc2)
  t.deepEqual(await logout(dc2, token), [200, 'true'])
  t.is(await statusOf(dc2, token), 403)
  const made = tokenOf(await dc2.send('PUT', '/v1/acl/token', { body: { Local: true } }))
  t.is((await logout(dc2, made.SecretID))[0], 403)
  t.is(await statusOf(dc2, made.SecretID), 200)
})

test('a global token stays while the primary is away', async t => {
  const [dc1, dc2] = await startPair(t)
  await addMethod(dc1, { TokenLocality: 'global' })
  const token = await login(dc1)
  await until('the copy is there', async () => (await statusOf(dc2, token)) === 200)
  await shutOff(dc1, dc2)
  const [status, text] = await logout(dc2, token)
  t.is(status, 500)
  t.regex(text, /^No path to datacenter: /)
  t.is(await statusOf(dc2, token), 200)
})
