// Transactions that read many keys are answered in chunks. Writes between the chunks do not change their results.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'
import { writeKeys } from '../../support.js'

const KEYS = 1200
const keyOf = (n: number): string => `many/${String(n).padStart(4, '0')}`
const valueOf = (text: string): string => Buffer.from(text).toString('base64')

const filled = async (t: Parameters<typeof shortenChunks>[0]): Promise<TestServer> => {
  shortenChunks(t)
  const server = await serverInProcess(t, { log: new MemoryEventLog(), config: { acl: { enabled: false } } })
  await writeKeys(server, new Map(Array.from({ length: KEYS }, (_, n) => [keyOf(n), 'first'])))
  return server
}

const tree = { KV: { Verb: 'get-tree', Key: 'many/' } }
const set = (Key: string, text: string) => ({ KV: { Verb: 'set', Key, Value: valueOf(text) } })

interface Entry {
  readonly Key: string
  readonly Value: string | null
}

const entriesOf = (text: string): readonly Entry[] => {
  const { Results }: { readonly Results: readonly { readonly KV: Entry }[] } = JSON.parse(text)
  return Results.map(({ KV: { Key, Value } }) => ({ Key, Value }))
}

/** Writes keys one after another until the transaction is answered. Returns its answer and the number of writes that ended before it. */
const beside = async (server: TestServer, operations: readonly unknown[]) => {
  const status = { isAnswered: false }
  const answer = server.send('PUT', '/v1/txn', { body: operations }).finally(() => {
    status.isAnswered = true
  })
  let writes = 0
  for (; !status.isAnswered; writes++)
    await server.send('PUT', `/v1/kv/${keyOf((writes * 7) % KEYS)}`, { body: `later ${writes}` })
  return { answer: await answer, writes }
}

test('a transaction that reads many keys lets other requests run, and shows one state', async t => {
  const server = await filled(t)
  const { answer, writes } = await beside(server, [tree, tree])
  t.is(answer.status, 200)
  t.true(writes > 3)
  const entries = entriesOf(answer.text)
  t.deepEqual(entries.slice(0, KEYS), entries.slice(KEYS))
  t.deepEqual(
    entries.slice(0, KEYS).map(({ Key }) => Key),
    Array.from({ length: KEYS }, (_, n) => keyOf(n))
  )
})

test('a tree that a transaction reads shows its earlier operations, and neither its later ones nor other writes', async t => {
  const server = await filled(t)
  const operations = [
    set(keyOf(3), 'mine'),
    set('many/0003x', 'new'),
    { KV: { Verb: 'delete', Key: keyOf(5) } },
    tree,
    set(keyOf(7), 'after'),
    { KV: { Verb: 'delete-tree', Key: 'many/01' } }
  ]
  const before = entriesOf((await server.send('PUT', '/v1/txn', { body: [tree] })).text)
  const answer = server.send('PUT', '/v1/txn', { body: operations })
  const other = server.send('PUT', `/v1/kv/${keyOf(9)}`, { body: 'other' })
  const entries = entriesOf((await answer).text).filter(({ Value }) => Value !== null)
  await other
  const expected = new Map(before.map(({ Key, Value }) => [Key, Value]))
  expected.set(keyOf(3), valueOf('mine'))
  expected.set('many/0003x', valueOf('new'))
  expected.delete(keyOf(5))
  const isOther = entries.some(({ Value }) => Value === valueOf('other'))
  if (isOther) expected.set(keyOf(9), valueOf('other'))
  const inOrder = [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))
  // A difference of so many keys is not printed.
  t.true(
    isDeepStrictEqual(
      entries.map(({ Key, Value }) => [Key, Value]),
      inOrder
    )
  )
  const left = entriesOf((await server.send('PUT', '/v1/txn', { body: [tree] })).text)
  t.is(left.length, KEYS - 100)
})

test('a write whose stored response would hold many keys is refused, and nothing is applied', async t => {
  const server = await filled(t)
  const headers = { 'X-Service-Idempotency-Key': 'a-key-of-more-than-32-characters-x' }
  const body = [set('other', 'value'), tree]
  const { status, text } = await server.send('PUT', '/v1/txn', { body, headers })
  t.is(status, 400)
  t.regex(text, /may read 1000 keys, not 1200/)
  t.is((await server.send('GET', '/v1/kv/other')).status, 404)
})

test('the deletion of a tree of many keys that the transaction has changed is refused', async t => {
  const server = await filled(t)
  const deletion = { KV: { Verb: 'delete-tree', Key: 'many/' } }
  const { status, text } = await server.send('PUT', '/v1/txn', { body: [set(keyOf(1), 'changed'), deletion] })
  t.is(status, 409)
  t.regex(text, /More than 1000 keys begin with \\"many\/\\", and other operations/)
  t.is((await server.send('PUT', '/v1/txn', { body: [deletion, set(keyOf(1), 'new')] })).status, 200)
  t.is(entriesOf((await server.send('PUT', '/v1/txn', { body: [tree] })).text).length, 1)
})
