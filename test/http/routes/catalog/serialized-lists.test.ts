// Repeated reads of lists of the catalog: each is of the newest state, with what its caller may see.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { secretWith } from '../../support.js'

const SERVICE = { Service: 'web', Port: 80 }
const check = (Status: string) => ({ Name: 'c', ServiceID: 'web', Status })

/** The changes that the answer must show, as bodies of registrations. */
const CHANGES: readonly object[] = [
  { Node: 'n', Address: '10.0.0.1', Service: SERVICE, Check: check('passing') },
  { Node: 'n', Address: '10.0.0.1', Service: SERVICE, Check: check('critical') },
  { Node: 'n', Address: '10.0.0.2' },
  { Node: 'n', Address: '10.0.0.2', NodeMeta: { rack: 'a' } },
  { Node: 'n', Address: '10.0.0.2', Service: { ...SERVICE, Tags: ['blue'] } },
  { Node: 'm', Address: '10.0.0.3', Service: SERVICE }
]

/** Lists with a filter that selects everything, which is not cached. */
const LISTS: readonly (readonly [path: string, everything: string])[] = [
  ['/v1/health/service/web', 'filter=Service.Port != 1'],
  ['/v1/catalog/service/web', 'filter=ServicePort != 1'],
  ['/v1/catalog/nodes', 'filter=Address != ""'],
  ['/v1/catalog/services', 'limit=1000']
]

test('a repeated list shows each change, and is the same that a filter for everything selects', async t => {
  const server = await serverInProcess(t)
  const textOf = async (path: string): Promise<string> => {
    const { status, text } = await server.send('GET', path)
    t.is(status, 200, text)
    return text
  }
  const seen = LISTS.map(() => new Set<string>())
  for (const body of CHANGES) {
    t.is((await server.send('PUT', '/v1/catalog/register', { body })).status, 200)
    for (const [i, [path, everything]] of LISTS.entries()) {
      const text = await textOf(path)
      t.is(await textOf(path), text)
      t.is(await textOf(`${path}?${encodeURI(everything)}`), text, path)
      seen[i]?.add(text)
    }
  }
  t.deepEqual(
    seen.map(({ size }) => size),
    [6, 5, 5, 2]
  )
})

const nodesOf = async (server: TestServer, path: string, token?: string): Promise<string[]> => {
  const { text } = await server.send('GET', path, token === undefined ? {} : { token })
  const list: readonly { readonly Node: string | { readonly Node: string } }[] = JSON.parse(text)
  const nodes = list.map(({ Node }) => (typeof Node === 'string' ? Node : Node.Node))
  return nodes.filter(node => node !== 'server-1')
}

test('callers with other permissions receive other instances, also after their policy has changed', async t => {
  const server = await serverInProcess(t)
  for (const body of CHANGES) await server.send('PUT', '/v1/catalog/register', { body })
  const rules = (nodes: string): string =>
    `service_prefix "" { policy = "read" } node "${nodes}" { policy = "read" }`
  const token = await secretWith(server, 'reader', rules('n'))
  const paths = ['/v1/health/service/web', '/v1/catalog/service/web', '/v1/catalog/nodes']
  const expect = async (all: readonly string[], readable: readonly string[]): Promise<void> => {
    for (const path of paths) {
      t.deepEqual(await nodesOf(server, path), all)
      t.deepEqual(await nodesOf(server, path, token), readable)
    }
  }
  await expect(['m', 'n'], ['n'])
  const { text } = await server.send('GET', '/v1/acl/policy/name/reader')
  const policy: { readonly ID: string } = JSON.parse(text)
  const changed = await server.send('PUT', `/v1/acl/policy/${policy.ID}`, {
    body: { Name: 'reader', Rules: rules('m') }
  })
  t.is(changed.status, 200, changed.text)
  await expect(['m', 'n'], ['m'])
})
