import test from 'ava'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, secretWith } from '../../support.js'

const search = async (server: TestServer, q: string, token = ROOT) => {
  const { status, text } = await server.send('GET', `/v1/search?q=${encodeURIComponent(q)}`, { token })
  if (status !== 200) throw new Error(`${status} ${text}`)
  const hits: readonly { readonly Topic: string; readonly Name: string; readonly Key: string }[] =
    JSON.parse(text)
  return hits
}

const fill = async (server: TestServer): Promise<string> => {
  await createPolicy(server, 'shop-deploy', 'key "a" { policy = "read" }')
  const { SecretID } = await createToken(server, { Description: 'Deploys the shop' })
  await server.send('PUT', '/v1/kv/shop/banner', { body: 'sale' })
  await server.send('PUT', '/v1/kv/other', { body: 'shop' })
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  await server.send('PUT', '/v1/kv/shop/of-team?ns=team', { body: '1' })
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n1', Address: '10.0.0.1', Service: { ID: 'w1', Service: 'shop-web', Port: 80 } }
  })
  return SecretID
}

test('resources of all kinds are found by name, key and description, names that begin so first', async t => {
  const server = await serverInProcess(t)
  await fill(server)
  const hits = await search(server, 'SHOP')
  t.deepEqual(
    hits.map(({ Topic, Name }) => `${Topic} ${Name}`),
    [
      'Service shop-web',
      'KV shop/of-team',
      'KV shop/banner',
      'ACLPolicy shop-deploy',
      'ACLToken Deploys the shop'
    ]
  )
  t.like(hits[0], { Node: 'n1', Namespace: 'default' })
})

test('a caller finds only what it may read, by what it may read, and never a secret', async t => {
  const server = await serverInProcess(t)
  const secret = await fill(server)
  const reader = await secretWith(server, 'reads-keys', 'key_prefix "shop/" { policy = "read" }')
  t.deepEqual(
    (await search(server, 'shop', reader)).map(({ Key }) => Key),
    ['shop/banner']
  )
  t.deepEqual(await search(server, 'n1', reader), [])
  t.deepEqual(await search(server, secret), [])
})

test('at most 50 hits are returned', async t => {
  const server = await serverInProcess(t)
  for (let transaction = 0; transaction < 2; transaction++) {
    const operation = (_: unknown, at: number) => ({
      KV: { Verb: 'set', Key: `many/${transaction}-${at}`, Value: '' }
    })
    await server.send('PUT', '/v1/txn', { body: Array.from({ length: 40 }, operation) })
  }
  t.is((await search(server, 'many/')).length, 50)
})

test('a text that is missing or too long is named with its rule', async t => {
  const server = await serverInProcess(t)
  for (const query of ['', '?q=', `?q=${'x'.repeat(201)}`]) {
    const { status, text } = await server.send('GET', `/v1/search${query}`)
    t.is(status, 400, query)
    t.regex(text, /Invalid q: .* must have 1 to 200 characters/)
  }
})
