// Long lists of the catalog are read in chunks. Changes between the chunks do not change the list.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { indexOf } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'

const NODES = 4000
const OPERATIONS = 64
const WRITERS = 6
const ROUNDS = 2
const LISTS = [
  '/v1/catalog/nodes',
  '/v1/catalog/services',
  '/v1/health/state/any',
  '/v1/health/state/passing'
]

const operationsOf = (n: number, status: string, tag: string) => [
  { Node: { Verb: 'set', Node: { Node: `node-${n}`, Address: '10.0.0.1', Meta: { tag } } } },
  { Service: { Verb: 'set', Node: `node-${n}`, Service: { Service: `service-${n}`, Tags: [tag] } } },
  {
    Check: {
      Verb: 'set',
      Check: { Node: `node-${n}`, CheckID: 'alive', Name: 'alive', Status: status, ServiceID: `service-${n}` }
    }
  }
]

const fill = async (server: TestServer): Promise<void> => {
  const operations = Array.from({ length: NODES }, (_, n) => operationsOf(n, 'passing', 'first')).flat()
  for (let at = 0; at < operations.length; at += OPERATIONS)
    await server.send('PUT', '/v1/txn', { body: operations.slice(at, at + OPERATIONS) })
}

/** Registers, changes and deregisters nodes until `isOver`. */
const write = async (server: TestServer, writer: number, isOver: () => boolean): Promise<void> => {
  for (let i = writer; !isOver(); i += WRITERS) {
    const n = (i * 7919) % (NODES + 500)
    if (i % 4 === 0) await server.send('PUT', '/v1/catalog/deregister', { body: { Node: `node-${n}` } })
    else
      await server.send('PUT', '/v1/txn', {
        body: operationsOf(n, i % 3 === 0 ? 'critical' : 'passing', `later ${i}`)
      })
  }
}

test('each list equals the list of the past at its index, whatever is written while it is read', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  await fill(server)
  let isOver = false
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(server, writer, () => isOver))
  const end = (): Promise<unknown> => {
    isOver = true
    return Promise.all(writers)
  }
  t.teardown(end)
  const answers = []
  for (let round = 0; round < ROUNDS; round++)
    answers.push(...(await Promise.all(LISTS.map(path => server.send('GET', path)))))
  await end()
  for (const [i, answer] of answers.entries()) {
    const path = `${LISTS[i % LISTS.length] ?? ''}?at=${indexOf(answer)}`
    const past = await server.send('GET', path)
    t.is(past.status, 200, past.text.slice(0, 200))
    // A difference of so many rows is not printed.
    t.true(isDeepStrictEqual(JSON.parse(answer.text), JSON.parse(past.text)), path)
  }
})
