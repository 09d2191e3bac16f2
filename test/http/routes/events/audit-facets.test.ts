// Counts of audited commits: the same commits as the audit, for each caller, and within bounds.
import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, secretWith } from '../../support.js'

interface Facets {
  readonly From: number
  readonly To: number
  readonly IsComplete: boolean
  readonly Commits: number
  readonly [list: string]: unknown
}

const facets = async (server: TestServer, query = '', token = ROOT): Promise<Facets> => {
  const { status, text } = await server.send('GET', `/v1/event/audit/facets?${query}`, { token })
  if (status !== 200) throw new Error(text)
  const counted: Facets = JSON.parse(text)
  return counted
}

type Line = {
  readonly By: { readonly AccessorID: string }
  readonly Events: readonly { readonly Topic: string; readonly Type: string; readonly Namespace: string }[]
}

/** The counts that the lines of the audit give. */
const countedLines = async (server: TestServer, query: string, token: string) => {
  const { text } = await server.send('GET', `/v1/event/audit?${query}`, { token })
  const lines = text
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line))
  const counts = (valuesOf: (line: Line) => readonly string[]) => {
    const found = new Map<string, number>()
    for (const line of lines)
      for (const value of new Set(valuesOf(line))) found.set(value, (found.get(value) ?? 0) + 1)
    return Object.fromEntries(found)
  }
  return {
    commits: lines.length,
    Accessors: counts(({ By }) => [By.AccessorID]),
    Topics: counts(({ Events }) => Events.map(({ Topic }) => Topic)),
    Namespaces: counts(({ Events }) => Events.map(({ Namespace }) => Namespace).filter(Boolean)),
    Types: counts(({ Events }) => Events.map(({ Type }) => Type))
  }
}

const asRecord = (list: unknown): unknown =>
  Array.isArray(list) ? Object.fromEntries(list.map(({ Value, Count }) => [Value, Count])) : list

const WRITER = 'namespace_prefix "" { key_prefix "" { policy = "write" } }'

async function written(server: TestServer) {
  for (const Name of ['a', 'b']) await server.send('PUT', '/v1/namespace', { body: { Name } })
  const ID = await createPolicy(server, 'writer', WRITER)
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ ID }] })
  for (const [value, ns] of ['a', 'b', 'b'].entries())
    await server.send('PUT', `/v1/kv/key?ns=${ns}`, { body: `v${value}`, token: SecretID })
  await server.send('DELETE', '/v1/kv/key?ns=a', { token: SecretID })
  return { token: SecretID, AccessorID }
}

for (const { name, options } of [
  { name: 'the files of the log', options: () => ({}) },
  { name: 'a log in memory', options: () => ({ log: new MemoryEventLog() }) }
])
  test(`facets count what the audit shows, from ${name}`, async t => {
    const server = await serverInProcess(t, options())
    const { AccessorID } = await written(server)
    const auditor = await secretWith(
      server,
      'auditor',
      'operator = "read"  namespace "b" { key_prefix "" { policy = "read" } }'
    )
    for (const token of [ROOT, auditor])
      for (const query of [
        '',
        'topic=KV',
        'ns=b',
        `accessor=${AccessorID}`,
        'type=KVDelete',
        'since=4&until=9'
      ]) {
        const { Commits, ...lists } = await facets(server, query, token)
        const { commits, ...expected } = await countedLines(server, query, token)
        t.is(Commits, commits, query)
        for (const [list, counts] of Object.entries(expected))
          t.deepEqual(asRecord(lists[list]), counts, query)
      }
    const { Types, From, To, IsComplete } = await facets(server, 'topic=KV&ns=b')
    t.deepEqual(Types, [{ Value: 'KVSet', Count: 2 }])
    t.deepEqual([From, To, IsComplete], [1, server.app.log.durableIndex, true])
    t.is((await facets(server, 'since=2999-01-01T00:00:00Z')).Commits, 0)
  })

test('who made commits requires operator:read, and other counts hold what the token may read', async t => {
  const server = await serverInProcess(t)
  const { AccessorID } = await written(server)
  const reader = await secretWith(server, 'reader', 'namespace "a" { key_prefix "" { policy = "read" } }')
  const { Accessors, Topics, Namespaces, Types, Commits } = await facets(server, '', reader)
  t.is(Accessors, undefined)
  t.deepEqual(Topics, [{ Value: 'KV', Count: 2 }])
  t.deepEqual(Namespaces, [{ Value: 'a', Count: 2 }])
  t.deepEqual(Types, [
    { Value: 'KVDelete', Count: 1 },
    { Value: 'KVSet', Count: 1 }
  ])
  t.is(Commits, 2)
  for (const query of [`accessor=${AccessorID}`, 'address=127.0.0.1']) {
    const { status, text } = await server.send('GET', `/v1/event/audit/facets?${query}`, { token: reader })
    t.is(status, 403)
    t.regex(text, /operator:read/)
  }
  t.is((await server.send('GET', '/v1/event/audit/facets', { token: 'nonsense' })).status, 403)
  for (const query of ['topic=None', 'limit=3', 'accessor=x', 'since=soon'])
    t.is((await server.send('GET', `/v1/event/audit/facets?${query}`)).status, 400, query)
})
