// A resource that the caller may not read in its namespace gets the response of one that does not exist.
import test from 'ava'
import type { TestResponse } from '../../support/client.js'
import { serverInProcess, type TestServer } from '../../support/server.js'

const MISSING = '11111111-2222-4333-8444-555555555555'

const put = async (server: TestServer, path: string, body: object): Promise<Record<string, string>> => {
  const response = await server.send('PUT', path, { body })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`)
  return JSON.parse(response.text)
}

/** Returns the response without the ID that the caller sent. */
const withoutId = ({ status, text }: TestResponse, id: string): string =>
  `${status} ${text.replaceAll(id, 'ID')}`

test('with all namespaces in question, an ID of an unreadable one is as unknown as any', async t => {
  const server = await serverInProcess(t)
  for (const Name of ['hidden', 'own']) await put(server, '/v1/namespace', { Name })
  const inHidden = (path: string, body: object) => put(server, `${path}?ns=hidden`, body)
  const { AccessorID = '' } = await inHidden('/v1/acl/token', {})
  const { ID: policy = '' } = await inHidden('/v1/acl/policy', { Name: 'p' })
  const { ID: role = '' } = await inHidden('/v1/acl/role', { Name: 'r' })
  const { SecretID: nothing = '' } = await put(server, '/v1/acl/token', {})
  const { ID: ofOwn } = await put(server, '/v1/acl/policy', {
    Name: 'own',
    Rules: 'namespace "own" { acl = "write" }'
  })
  const { SecretID: elsewhere = '' } = await put(server, '/v1/acl/token', { Policies: [{ ID: ofOwn }] })

  const paths = [
    [`/v1/acl/token/`, AccessorID, ''],
    [`/v1/acl/policy/`, policy, ''],
    [`/v1/acl/role/`, role, ''],
    [`/v1/acl/token/`, AccessorID, '/rights'],
    [`/v1/acl/token/`, AccessorID, '/usage'],
    [`/v1/acl/policy/`, policy, '/usage'],
    [`/v1/acl/role/`, role, '/usage'],
    [`/v1/history/acl/token/`, AccessorID, ''],
    [`/v1/history/acl/policy/`, policy, ''],
    [`/v1/history/acl/role/`, role, '']
  ] as const
  for (const token of [nothing, elsewhere])
    for (const [before, id, after] of paths) {
      const read = async (name: string): Promise<string> =>
        withoutId(await server.send('GET', `${before}${name}${after}?ns=*`, { token }), name)
      t.is(await read(id), await read(MISSING), `${before}ID${after}`)
    }
  for (const token of [nothing, elsewhere])
    for (const path of ['/v1/acl/explain', '/v1/acl/explain?ns=own']) {
      const explain = async (accessor: string): Promise<string> => {
        const body = { AccessorID: accessor, Resource: 'key', Access: 'read', Segment: 'a' }
        return withoutId(await server.send('POST', path, { token, body }), accessor)
      }
      t.is(await explain(AccessorID), await explain(MISSING), path)
    }
  t.is((await server.send('GET', `/v1/acl/token/${AccessorID}?ns=*`)).status, 200)
  t.is((await server.send('GET', `/v1/acl/policy/${ofOwn}?ns=*`, { token: elsewhere })).status, 403)
})
