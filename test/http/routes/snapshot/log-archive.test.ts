// Archives of the whole log, and servers that continue it.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import test from 'ava'
import { extract, pack } from 'tar-stream'
import { noteSigner, parseVkey, vkeyOf } from '../../../../events/log/evidence/note-keys.js'
import { createToken, indexOf } from '../../support.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { temporaryFolder } from '../../../support/process.js'
import { send } from '../../../support/client.js'
import { sha256 } from './archive-fixtures.js'
import { contentOf, restore, save } from './support.js'

test('a new server continues the log of a snapshot: its indexes, its history and its tokens', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const second = indexOf(await source.send('PUT', '/v1/kv/a', { body: 'two' }))
  const token = await createToken(source, { Description: 'from the source' })
  const bytes = await save(source)

  const target = await serverInProcess(t, { log: 'disk', config: { node_name: 'server-2' } })
  t.is((await restore(target, bytes)).status, 200)
  const { headers, text } = await target.send('GET', '/v1/kv/a')
  t.is(Number(JSON.parse(text)[0].ModifyIndex), second)
  t.true(Number(headers['x-service-index']) >= second)
  const self = await send(target.base, 'GET', '/v1/acl/token/self', { token: token.SecretID })
  t.is(self.status, 200)
  const versions: number[] = []
  for await (const { Index } of target.app.log.history({
    topic: 'KV',
    partition: 'default',
    namespace: 'default',
    key: 'a'
  }))
    versions.push(Index)
  t.is(versions.length, 2)
  t.is(versions[1], second)
  const first = source.app.views.index + 1
  for await (const { Index, By } of target.app.log.read(first)) {
    t.is(Index, first)
    t.is(By.Command, 'RestoreLog')
    break
  }
  const written = indexOf(await target.send('PUT', '/v1/kv/b', { body: 'three' }))
  t.true(written > first)
  const nodes = await target.send('GET', '/v1/catalog/nodes')
  t.regex(nodes.text, /server-2/)
  const stream = await target.send('GET', `/v1/event/stream?topic=KV&index=1&until=now`)
  t.deepEqual(
    stream.text
      .split('\n')
      .flatMap(line => JSON.parse(line || '{}').Events?.map(({ Key }: { Key: string }) => Key) ?? []),
    ['a', 'a', 'b']
  )
})

test('in a log that has been written the state comes as a commit of pieces', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const bytes = await save(source)
  const target = await serverInProcess(t, { log: 'disk' })
  await target.send('PUT', '/v1/kv/gone', { body: 'x' })
  t.is((await restore(target, bytes)).status, 200)
  t.is((await target.send('GET', '/v1/kv/gone')).status, 404)
  const commands: string[] = []
  for await (const { By } of target.app.log.read(1)) commands.push(By.Command)
  t.true(commands.includes('RestoreSnapshot') && !commands.includes('RestoreLog'))
  t.is(contentOf(target), contentOf(source))
})

test('the log that was exchanged is the one of the next start', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const target = await serverInProcess(t, { log: 'disk' })
  await restore(target, await save(source))
  const index = indexOf(await target.send('PUT', '/v1/kv/b', { body: 'two' }))
  await target.close()
  const again = await serverInProcess(t, { dataDir: target.settings.data_dir })
  t.true(again.app.views.index >= index)
  t.is((await again.send('GET', '/v1/kv/b?raw', { token: ROOT })).text, 'two')
})

const RECORD = 'ANNALS.signature'
type Change = (name: string, content: Buffer) => Buffer

/**
 * The archive with its files changed, and the sums computed again. The signature is changed under the name `signature`.
 * @param place where the signature is written: in the header of the sums, or in a file as version 0.1 has it
 */
const changed = async (
  bytes: Buffer,
  change: Change,
  place: 'header' | 'file' = 'header'
): Promise<Buffer> => {
  const files = new Map<string, Buffer>()
  const entries = extract()
  Readable.from([gunzipSync(bytes)]).pipe(entries)
  let note: Buffer = Buffer.alloc(0)
  for await (const entry of entries) {
    note = Buffer.from(String(Reflect.get(Object(entry.header.pax), RECORD) ?? note))
    files.set(entry.header.name, await buffer(entry))
  }
  for (const [name, content] of files) files.set(name, change(name, content))
  note = change('signature', note)
  const sums = ['meta.json', 'state.bin'].map(
    name => `${sha256(files.get(name) ?? Buffer.alloc(0))}  ${name}\n`
  )
  files.set('SHA256SUMS', Buffer.from(sums.join('')))
  if (place === 'file') files.set('SHA256SUMS.sig', note)
  const archive = pack()
  for (const [name, content] of files) {
    const isSigned = name === 'SHA256SUMS' && place === 'header'
    archive.entry({ name, ...(isSigned ? { pax: { [RECORD]: note.toString() } } : {}) }, content)
  }
  archive.finalize()
  return gzipSync(await buffer(archive))
}

test('a changed archive is refused, with or without recomputed checksums', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const bytes = await save(source)
  const target = await serverInProcess(t, { log: 'disk' })
  const before = target.app.views.index
  const other = await changed(bytes, (name, content) => {
    if (name === 'state.bin')
      content.writeUInt8(content.readUInt8(content.length >> 1) ^ 1, content.length >> 1)
    return content
  })
  const unsigned = await changed(bytes, (name, content) =>
    name === 'signature' ? Buffer.from('nothing\n\n') : content
  )
  for (const archive of [other, unsigned]) {
    const { status, text } = await restore(target, archive)
    t.is(status, 400, text)
    t.regex(text, /signature|signed/)
  }
  t.is(target.app.views.index, before)
  t.is((await restore(target, await changed(bytes, (_name, content) => content))).status, 200)
})

test('an archive with its signature in a file, as version 0.1 wrote it, is restored', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const own = (await source.send('GET', '/v1/event/checkpoint/key')).text.trim()
  const old = await changed(await save(source), (_name, content) => content, 'file')
  const target = await serverInProcess(t, { log: 'disk' })
  t.is((await putPinned(target.base, old, own)).status, 200)
  t.is((await target.send('GET', '/v1/kv/a?raw')).text, 'one')
})

test('an archive of the own log is signed with the own key', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  await server.send('PUT', '/v1/kv/a', { body: 'one' })
  const bytes = await save(server)
  const forged = await changed(bytes, (name, content) => {
    if (name !== 'meta.json') return content
    const meta: { Signer: string } = JSON.parse(content.toString())
    const named = noteSigner(parseVkey(meta.Signer).name, Buffer.alloc(32, 7))
    return Buffer.from(`${JSON.stringify({ ...meta, Signer: vkeyOf(named.key) })}\n`)
  })
  const { status, text } = await restore(server, forged)
  t.is(status, 400)
  t.regex(text, /not signed with the key of this log/)
})

test('an archive of the state alone has what is true, and nothing of what was', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'before' })
  await source.send('PUT', '/v1/kv/a', { body: 'after' })
  await source.send('PUT', '/v1/kv/gone', { body: 'x' })
  await source.send('DELETE', '/v1/kv/gone')
  const token = await createToken(source, { Description: 'kept' })
  const bytes = await save(source, '?state')
  const text = gunzipSync(bytes).toString()
  t.true(text.includes(Buffer.from('after').toString('base64')))
  t.false(text.includes(Buffer.from('before').toString('base64')))
  t.false(text.includes('gone'))
  const target = await serverInProcess(t, { log: 'disk' })
  t.is((await restore(target, bytes)).status, 200)
  t.is(contentOf(target), contentOf(source))
  t.is((await send(target.base, 'GET', '/v1/acl/token/self', { token: token.SecretID })).status, 200)
})

test('an archive for a recipient is read with the secret key of it alone', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const identity = await generateIdentity()
  const bytes = await save(source, `?recipient=${await identityToRecipient(identity)}`)
  t.true(bytes.subarray(0, 32).toString('latin1').startsWith('age-encryption.org/v1'))
  const target = await serverInProcess(t, { log: 'disk' })
  const put = async (headers: Record<string, string>, body: Buffer): Promise<number> => {
    const given = { 'X-Service-Token': ROOT, ...headers }
    const url = `${target.base}/v1/snapshot`
    return (await fetch(url, { method: 'PUT', headers: given, body: new Uint8Array(body) })).status
  }
  t.is(await put({}, bytes), 400)
  t.is(await put({ 'X-Service-Snapshot-Identity': 'x' }, bytes), 400)
  t.is(await put({ 'X-Service-Snapshot-Identity': await generateIdentity() }, bytes), 400)
  const cut = bytes.subarray(0, -100)
  t.is(await put({ 'X-Service-Snapshot-Identity': identity }, cut), 400)
  t.is(await put({ 'X-Service-Snapshot-Identity': identity }, bytes), 200)
  t.is((await target.send('GET', '/v1/kv/a?raw')).text, 'one')
  t.is((await target.send('GET', '/v1/snapshot?recipient=unknown')).status, 400)
})

test('a copy that a crash has left in the midst of a snapshot is gone with the next start', async t => {
  const dataDir = temporaryFolder(t)
  const left = join(dataDir, 'copies', 'log-1')
  mkdirSync(left, { recursive: true })
  const server = await serverInProcess(t, { dataDir })
  t.false(existsSync(left))
  await save(server)
  await until('the copy that was sent is gone', () => readdirSync(join(dataDir, 'copies')).length === 0)
})

const putPinned = async (
  base: string,
  bytes: Buffer,
  pin: string
): Promise<Awaited<ReturnType<typeof restore>>> => {
  const answer = await fetch(`${base}/v1/snapshot?${String(new URLSearchParams({ pin }))}`, {
    method: 'PUT',
    headers: { 'X-Service-Token': ROOT },
    body: new Uint8Array(bytes)
  })
  return { status: answer.status, text: await answer.text() }
}

test('an archive is refused when the key is another than the one that is pinned', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const own = (await source.send('GET', '/v1/event/checkpoint/key')).text.trim()
  const target = await serverInProcess(t, { log: 'disk' })
  const other = (await target.send('GET', '/v1/event/checkpoint/key')).text.trim()
  const before = target.app.views.index
  for (const query of ['', '?state']) {
    const bytes = await save(source, query)
    const refused = await putPinned(target.base, bytes, other)
    t.is(refused.status, 400)
    t.regex(refused.text, /not signed with the key that is pinned/)
  }
  const malformed = await putPinned(target.base, await save(source), 'no key')
  t.is(malformed.status, 400)
  t.regex(malformed.text, /Invalid pin/)
  t.is(target.app.views.index, before)
  // As it stands in a shell, without its pluses being encoded.
  const plain = await fetch(`${target.base}/v1/snapshot?pin=${own}`, {
    method: 'PUT',
    headers: { 'X-Service-Token': ROOT },
    body: new Uint8Array(await save(source, '?state'))
  })
  t.is(plain.status, 200)
  t.is((await target.send('GET', '/v1/kv/a?raw')).text, 'one')
})

test('an archive of the state is signed: a changed one is refused, with or without recomputed checksums', async t => {
  const source = await serverInProcess(t, { log: 'disk' })
  await source.send('PUT', '/v1/kv/a', { body: 'one' })
  const own = (await source.send('GET', '/v1/event/checkpoint/key')).text.trim()
  const bytes = await save(source, '?state')
  const resigned = await changed(bytes, (name, content) =>
    name === 'signature' ? Buffer.from('nothing\n\n') : content
  )
  const target = await serverInProcess(t, { log: 'disk' })
  const { status, text } = await restore(target, resigned)
  t.is(status, 400)
  t.regex(text, /signature|signed/)
  const unsigned = await restoreWithout(target, bytes, own)
  t.is(unsigned.status, 400)
  t.regex(unsigned.text, /it is not signed/)
})

/** Restores an archive whose signature was taken away, with the key pinned. */
const restoreWithout = async ({ base }: { readonly base: string }, bytes: Buffer, pin: string) =>
  putPinned(
    base,
    await changed(bytes, (name, content) => {
      if (name !== 'meta.json') return content
      const { Signer: _, ...meta }: { readonly Signer: string } = JSON.parse(content.toString())
      return Buffer.from(`${JSON.stringify(meta)}\n`)
    }),
    pin
  )

test('as many snapshots are saved at a time as a setting says', async t => {
  const server = await serverInProcess(t, { log: 'disk', config: { limits: { snapshots_at_once: 1 } } })
  // More than fits into the buffers of a connection that is not read.
  for (let i = 0; i < 24; i++)
    await server.send('PUT', `/v1/kv/${i}`, {
      body: randomBytes(500_000).toString('latin1').slice(0, 250_000)
    })
  const slow = await fetch(`${server.base}/v1/snapshot`, { headers: { 'X-Service-Token': ROOT } })
  t.is(slow.status, 200)
  const refused = await server.send('GET', '/v1/snapshot?state')
  t.is(refused.status, 429)
  t.regex(refused.text, /limits\.snapshots_at_once/)
  t.true((await slow.arrayBuffer()).byteLength > 1_000_000)
  await server.send('DELETE', '/v1/kv/?recurse')
  await until('there is room', async () => (await server.send('GET', '/v1/snapshot?state')).status === 200)
})
