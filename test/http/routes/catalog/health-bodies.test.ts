// Repeated reads of the health of a service: each is of the newest state, with what its caller may see.
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

const answerOf = async (server: TestServer, query: string, token?: string) => {
  const { status, text } = await server.send(
    'GET',
    `/v1/health/service/web${query}`,
    token === undefined ? {} : { token }
  )
  const list: readonly { readonly Node: { readonly Node: string } }[] = JSON.parse(text)
  return { status, text, nodes: list.map(({ Node: { Node } }) => Node) }
}

test('a repeated answer shows each change, and is the same that a filter for everything selects', async t => {
  const server = await serverInProcess(t)
  const seen = new Set<string>()
  for (const body of CHANGES) {
    t.is((await server.send('PUT', '/v1/catalog/register', { body })).status, 200)
    const { text } = await answerOf(server, '')
    t.is((await answerOf(server, '')).text, text)
    t.is((await answerOf(server, `?filter=${encodeURIComponent('Service.Port != 1')}`)).text, text)
    seen.add(text)
  }
  t.is(seen.size, CHANGES.length)
})

test('callers with other permissions receive other instances, also after their policy has changed', async t => {
  const server = await serverInProcess(t)
  for (const body of CHANGES) await server.send('PUT', '/v1/catalog/register', { body })
  const rules = (nodes: string): string =>
    `service_prefix "" { policy = "read" } node "${nodes}" { policy = "read" }`
  const token = await secretWith(server, 'reader', rules('n'))
  t.deepEqual((await answerOf(server, '')).nodes, ['m', 'n'])
  t.deepEqual((await answerOf(server, '', token)).nodes, ['n'])
  const { text } = await server.send('GET', '/v1/acl/policy/name/reader')
  const policy: { readonly ID: string } = JSON.parse(text)
  const changed = await server.send('PUT', `/v1/acl/policy/${policy.ID}`, {
    body: { Name: 'reader', Rules: rules('m') }
  })
  t.is(changed.status, 200, changed.text)
  t.deepEqual((await answerOf(server, '', token)).nodes, ['m'])
  t.deepEqual((await answerOf(server, '')).nodes, ['m', 'n'])
})
