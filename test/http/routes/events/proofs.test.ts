// Checkpoints, proofs, tiles and leaves over HTTP, checked by the public key alone.
import test, { type ExecutionContext } from 'ava'
import { openLeaf, verifiedHead } from '../../../support/evidence.js'
import type { DisclosedLeaf } from '../../../../events/log/evidence/open-leaf.js'
import { isConsistent, isIncluded, leafHash } from '../../../../events/log/evidence/merkle.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken } from '../../support.js'

const put = (server: TestServer, key: string, headers: Readonly<Record<string, string>> = {}) =>
  server.send('PUT', `/v1/kv/${key}`, { body: 'a value', headers })

const get = async (t: ExecutionContext, server: TestServer, path: string): Promise<string> => {
  const { status, text } = await server.send('GET', path, { token: undefined })
  t.is(status, 200, `${path}: ${text}`)
  return text
}

const hashesOf = (texts: readonly string[]): readonly Buffer[] =>
  texts.map(text => Buffer.from(text, 'base64'))

/** A server that has written some keys, the newest of which a checkpoint covers. */
const written = async (t: ExecutionContext, keys = 300) => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await Promise.all(Array.from({ length: keys }, (_, i) => put(server, `k/${i}`)))
  const vkey = (await get(t, server, '/v1/event/checkpoint/key')).trim()
  const last = await put(server, 'last', { 'X-Service-Checkpoint': 'true' })
  const text = Buffer.from(String(last.headers['x-service-checkpoint']), 'base64').toString()
  const head = verifiedHead(text, vkey)
  return { server, vkey, head, text, index: Number(last.headers['x-service-index']) }
}

test('the answer of a write bears a checkpoint that covers it, when it is asked for', async t => {
  const { server, head, index, text, vkey } = await written(t, 1)
  t.true(head.size >= index)
  t.is(await get(t, server, '/v1/event/checkpoint'), text)
  t.is((await put(server, 'other')).headers['x-service-checkpoint'], undefined)
  const refused = await put(server, 'other', { 'X-Service-Checkpoint': 'yes' })
  t.is(refused.status, 400)
  t.is(refused.text, 'Bad request: X-Service-Checkpoint must be "true", or left out')
  const read = await server.send('GET', '/v1/kv/last', { headers: { 'X-Service-Checkpoint': 'yes' } })
  t.is(read.status, 200)
  t.is(read.headers['x-service-checkpoint'], undefined)
  const denied = await server.send('PUT', '/v1/kv/k', {
    body: 'a',
    token: undefined,
    headers: { 'X-Service-Checkpoint': 'true' }
  })
  t.is(denied.headers['x-service-checkpoint'], undefined)
  const earlier = verifiedHead(await get(t, server, `/v1/event/checkpoint?size=${index - 1}`), vkey)
  t.is(earlier.size, index - 1)
})

test('commits are in the log, and the log only grew, by what is proved', async t => {
  const { server, vkey, head } = await written(t)
  for (const index of [1, 2, 255, 256, 257, head.size]) {
    const { Index, TreeSize, LeafHash, Hashes } = JSON.parse(
      await get(t, server, `/v1/event/proof/inclusion?index=${index}&size=${head.size}`)
    )
    t.deepEqual([Index, TreeSize], [index, head.size])
    t.true(isIncluded({ index: index - 1, hash: Buffer.from(LeafHash, 'base64') }, head, hashesOf(Hashes)))
  }
  for (const from of [1, 200, 256, head.size]) {
    const older = verifiedHead(await get(t, server, `/v1/event/checkpoint?size=${from}`), vkey)
    const { From, To, Hashes } = JSON.parse(
      await get(t, server, `/v1/event/proof/consistency?from=${from}&to=${head.size}`)
    )
    t.deepEqual([From, To], [from, head.size])
    t.true(isConsistent(older, head, hashesOf(Hashes)))
  }
  const newest = JSON.parse(await get(t, server, '/v1/event/proof/inclusion?index=1'))
  t.true(newest.TreeSize >= head.size)
})

test('tiles are files that never change', async t => {
  const { server, head } = await written(t)
  const full = await fetch(`${server.base}/v1/event/tile/0/000`)
  t.is(full.headers.get('content-type'), 'application/octet-stream')
  t.is(full.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  const hashes = Buffer.from(await full.arrayBuffer())
  t.is(hashes.length, 256 * 32)
  const part = await fetch(`${server.base}/v1/event/tile/0/001.p/${head.size - 256}`)
  t.is((await part.arrayBuffer()).byteLength, (head.size - 256) * 32)
  const above = await fetch(`${server.base}/v1/event/tile/1/000.p/1`)
  t.is((await above.arrayBuffer()).byteLength, 32)
  const leaf: DisclosedLeaf = JSON.parse((await server.send('GET', '/v1/event/leaf?index=7')).text)
  t.deepEqual(leafHash(Buffer.from(leaf.Leaf, 'base64')), hashes.subarray(6 * 32, 7 * 32))
  for (const path of ['0/002', '0/001', '1/000', '0/000.p/0', '0/0', ''])
    t.is((await fetch(`${server.base}/v1/event/tile/${path}`)).status, 404, path)
})

test('entry bundles have the leaves, for operators or with log.public_entries for everybody', async t => {
  const { server, head } = await written(t)
  const policy = await createPolicy(server, 'operator', 'operator = "read"')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID: policy }] })
  const entriesAt = (path: string, headers = {}): Promise<Response> =>
    fetch(`${server.base}/v1/event/tile/entries/${path}`, { headers })
  const bearer = { Authorization: `Bearer ${token}` }
  const full = await entriesAt('000', bearer)
  t.is(full.headers.get('content-type'), 'application/octet-stream')
  t.is(full.headers.get('cache-control'), 'private, max-age=31536000, immutable')
  const bytes = Buffer.from(await full.arrayBuffer())
  const leaf: DisclosedLeaf = JSON.parse((await server.send('GET', '/v1/event/leaf?index=1')).text)
  t.is(bytes.toString('base64', 2, 2 + bytes.readUInt16BE(0)), leaf.Leaf)
  const part = await entriesAt(`001.p/${head.size - 256}`, bearer)
  t.is(part.status, 200)
  t.true((await part.arrayBuffer()).byteLength > (head.size - 256) * 100)
  for (const path of ['999', '0', '000.p/0', 'x000/001', ''])
    t.is((await entriesAt(path, bearer)).status, 404, path)
  for (const path of ['000', '999']) t.is((await entriesAt(path)).status, 403, path)

  const open = await serverInProcess(t, { config: { log: { level: 'silent', public_entries: true } } })
  await open.send('PUT', '/v1/kv/a', { body: 'b' })
  await open.send('GET', '/v1/event/checkpoint')
  const shown = await fetch(`${open.base}/v1/event/tile/entries/000.p/1`)
  t.is(shown.status, 200)
  t.is(shown.headers.get('cache-control'), 'public, max-age=31536000, immutable')
})

test('a leaf is opened as far as the caller may see it, and its secrets never', async t => {
  const { server } = await written(t, 1)
  const policy = await createPolicy(server, 'reader', 'key_prefix "k/" { policy = "read" }')
  const { SecretID: token, AccessorID } = await createToken(server, { Policies: [{ ID: policy }] })
  const index = Number((await put(server, 'k/other')).headers['x-service-index'])
  const leafOf = async (at: number, secret?: string): Promise<DisclosedLeaf> => {
    const { status, text } = await server.send(
      'GET',
      `/v1/event/leaf?index=${at}`,
      secret === undefined ? {} : { token: secret }
    )
    t.is(status, 200, text)
    return JSON.parse(text)
  }
  const kinds = ({ Parts }: DisclosedLeaf) =>
    Parts.map(({ Kind, Withheld }) => (Withheld ? `(${Kind})` : Kind))

  const own = await leafOf(index)
  t.deepEqual(kinds(own), ['Who', 'Head', 'Payload'])
  const { commit, hash } = openLeaf(own)
  t.is(commit.Events[0]?.Key, 'k/other')
  t.is(commit.By.Command, 'SetKey')
  const { LeafHash } = JSON.parse(
    await get(t, server, `/v1/event/proof/inclusion?index=${index}&size=${index}`)
  )
  t.is(hash.toString('base64'), LeafHash)

  t.deepEqual(kinds(await leafOf(index, token)), ['(Who)', 'Head', 'Payload'])
  const last = Number((await put(server, 'elsewhere')).headers['x-service-index'])
  t.deepEqual(kinds(await leafOf(last, token)), ['(Who)', '(Head)', '(Payload)'])
  t.deepEqual(openLeaf(await leafOf(last, token)).commit.Events, [])
  const made = await leafOf(index - 1)
  t.deepEqual(kinds(made), ['Who', 'Head', 'Payload', '(Secrets)'])
  t.is(openLeaf(made).commit.Events[0]?.Key, AccessorID)
  t.is((await server.send('GET', '/v1/event/leaf?index=1', { token: 'unknown' })).status, 403)
})

test('commits that went are proved, and not opened', async t => {
  const { server, head } = await written(t, 20)
  await server.app.log.prune(10)
  const { LeafHash, Hashes } = JSON.parse(
    await get(t, server, `/v1/event/proof/inclusion?index=3&size=${head.size}`)
  )
  t.true(isIncluded({ index: 2, hash: Buffer.from(LeafHash, 'base64') }, head, hashesOf(Hashes)))
  const gone = await server.send('GET', '/v1/event/leaf?index=3')
  t.is(gone.status, 410)
  t.is(gone.text, 'Commit 3 is no longer kept: the oldest is 11. Its hash still is')
})

test('what cannot be meant is refused by name', async t => {
  const { server, head } = await written(t, 1)
  const refusals = {
    'checkpoint?size=x': [400, 'Unable to parse size: "x" is not an integer'],
    'checkpoint?size=0': [400, 'Invalid size: it counts from 1, and 0 was given'],
    'checkpoint?Size=1': [400, 'Unknown query parameter "Size": known are dc, pretty, size'],
    'proof/inclusion': [400, 'Invalid index: it is missing, and names the commit to prove'],
    'proof/inclusion?index=-1': [400, 'Invalid index: "-1" is negative'],
    'proof/inclusion?index=3&size=2': [
      400,
      'Invalid index: commit 3 is not in the tree of the first 2 commits'
    ],
    'proof/consistency': [400, 'Invalid from: it is missing, and names the size of the older tree'],
    'proof/consistency?from=3&to=2': [400, 'Invalid from: the older tree has 3 commits, and the newer one 2'],
    leaf: [400, 'Invalid index: it is missing, and names the commit to return']
  }
  for (const [path, [status, text]] of Object.entries(refusals)) {
    const answer = await server.send('GET', `/v1/event/${path}`)
    t.deepEqual([answer.status, answer.text], [status, text], path)
  }
  const { durableIndex } = server.app.log
  t.true(durableIndex >= head.size)
  for (const path of [
    'checkpoint?size=',
    'proof/inclusion?index=1&size=',
    'proof/consistency?from=1&to=',
    'leaf?index='
  ]) {
    const { status, text } = await server.send('GET', `/v1/event/${path}${durableIndex + 1}`)
    t.is(status, 404, path)
    t.regex(text, /^Not found: \w+ is \d+, and the log has \d+ commits$/)
  }
})
