// Long lists of the catalog are read in chunks. Changes between the chunks do not change the list.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { indexOf } from '../../support.js'
import { sampleOf } from '../../../support/property-runs.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'

const NODES = 150
const OPERATIONS = 64
const WRITERS = 6
const LISTS = sampleOf([
  '/v1/catalog/nodes',
  '/v1/catalog/services',
  '/v1/catalog/services?node-meta=tag:first',
  '/v1/catalog/service/many',
  '/v1/health/service/many',
  '/v1/health/service/many?passing',
  '/v1/health/checks/many',
  '/v1/health/checks/many?limit=100',
  '/v1/health/state/any',
  '/v1/health/state/any?ns=*',
  '/v1/health/state/any?node-meta=tag:first',
  '/v1/health/state/passing'
])

const operationsOf = (n: number, status: string, tag: string) => [
  { Node: { Verb: 'set', Node: { Node: `node-${n}`, Address: '10.0.0.1', Meta: { tag } } } },
  ...[`service-${n}`, 'many'].flatMap(Service => [
    { Service: { Verb: 'set', Node: `node-${n}`, Service: { Service, Tags: [tag] } } },
    {
      Check: {
        Verb: 'set',
        Check: { Node: `node-${n}`, CheckID: Service, Name: 'alive', Status: status, ServiceID: Service }
      }
    }
  ])
]

const fill = async (server: TestServer): Promise<void> => {
  const operations = Array.from({ length: NODES }, (_, n) => operationsOf(n, 'passing', 'first')).flat()
  for (let at = 0; at < operations.length; at += OPERATIONS)
    await server.send('PUT', '/v1/txn', { body: operations.slice(at, at + OPERATIONS) })
  await server.send('PUT', '/v1/namespace', { body: { Name: 'other' } })
  const Check = { Name: 'c', ServiceID: 'web', Namespace: 'other' }
  const other = {
    Node: 'node-1',
    Address: '10.0.0.1',
    Service: { Service: 'web', Namespace: 'other' },
    Check
  }
  await server.send('PUT', '/v1/catalog/register', { body: other })
}

/** Registers, changes and deregisters nodes until `isOver`. */
const write = async (server: TestServer, writer: number, isOver: () => boolean): Promise<void> => {
  for (let i = writer; !isOver(); i += WRITERS) {
    const n = (i * 7919) % (NODES + 50)
    if (i % 4 === 0) await server.send('PUT', '/v1/catalog/deregister', { body: { Node: `node-${n}` } })
    else
      await server.send('PUT', '/v1/txn', {
        body: operationsOf(n, i % 3 === 0 ? 'critical' : 'passing', `later ${i}`)
      })
  }
}

test('each list equals the list of the past at its index, whatever is written while it is read', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  await fill(server)
  let isOver = false
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(server, writer, () => isOver))
  const end = (): Promise<unknown> => {
    isOver = true
    return Promise.all(writers)
  }
  t.teardown(end)
  const answers = await Promise.all(LISTS.map(path => server.send('GET', path)))
  await end()
  for (const [i, answer] of answers.entries()) {
    const list = LISTS[i % LISTS.length] ?? ''
    const path = `${list}${list.includes('?') ? '&' : '?'}at=${indexOf(answer)}`
    const past = await server.send('GET', path)
    t.is(past.status, 200, past.text.slice(0, 200))
    // A difference of so many rows is not printed.
    t.true(isDeepStrictEqual(JSON.parse(answer.text), JSON.parse(past.text)), path)
  }
})
