// A replica answers as its source does, refuses writes, and shows nothing that a signed checkpoint does not cover.
import { cpSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Views } from '../../../projections/read-models.js'
import { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { ERASED_BYTE, PAYLOAD_PART } from '../../../events/log/record-format.js'
import { LogEvidence } from '../../../http/wire/log-evidence.js'
import { noteSigner } from '../../../events/log/evidence/note-keys.js'
import { manifestOrigin, MANIFEST_FILE } from '../../../server/publication/payload-manifest.js'
import { payloadCipher } from '../../../server/publication/payload-cipher.js'
import { PayloadPublisher } from '../../../server/publication/payload-publisher.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'
import { SETTINGS } from '../../../server/settings/ports.js'
import { makeSnapshot } from '../../../server/snapshots/make-snapshot.js'
import { Publisher } from '../../../server/publication/publisher.js'
import { recordsIn } from '../../../server/publication/verified-records.js'
import { publishedSource, serverSource, type ReplicaSource } from '../../../server/replica/replica-source.js'
import { recordSource, serverFiles } from '../../../server/commands/server-source.js'
import { Connection } from '../../../clients/typescript/connection.js'
import { bytesIn, flip, publishing } from '../../support/published-log.js'
import { erased } from '../../support/pruned-log.js'
import { replicaInProcess, sourceAt } from '../../support/replica.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

const cipher = payloadCipher(Buffer.alloc(32, 8))

/** A source with resources of several kinds, and a token that may read a part. */
const source = async (t: ExecutionContext) => {
  const published = await publishing(t)
  const { server, growTo, key } = published
  const rules = 'key_prefix "web/" { policy = "read" }'
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: rules } })
  const { text } = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'web' }] } })
  const { SecretID: reader } = JSON.parse(text)
  await server.send('PUT', '/v1/kv/web/port', { body: '8080', headers: { 'X-Service-Reason': 'OPS-12' } })
  await server.send('PUT', '/v1/kv/customers/4711', { body: 'the name of a customer' })
  await server.send('PUT', '/v1/kv/customers/4711', { body: 'another value' })
  await server.send('PUT', '/v1/kv/web/port', { body: '8081' })
  const signed = async (): Promise<number> => {
    await growTo(server.app.log.durableIndex)
    return server.app.log.durableIndex
  }
  const size = await signed()
  const origin = `annals/${published.vkey.split('+')[0]?.split('/').slice(1).join('/')}`
  const signer = noteSigner(manifestOrigin(origin), Buffer.alloc(32, 7))
  const connection = new Connection({ address: server.base, token: ROOT })
  const publishTo = async (folder: string): Promise<void> => {
    const target = new PublishedFolder(folder)
    const payloads = new PayloadPublisher({
      source: recordSource(connection),
      target,
      cipher,
      signerOf: () => signer
    })
    await new Publisher({ source: serverFiles(connection), target, keys: [key], payloads }).publish()
  }
  const sourceIn = (folder: string): ReplicaSource =>
    publishedSource(folderFiles(folder), { manifestKey: signer.key, cipher })
  return { ...published, reader, size, signed, publishTo, sourceIn }
}

test('a replica of a server answers reads, history, proofs and streams, with the rights of the token at the source', async t => {
  const { server, vkey, size, reader, signed, growTo } = await source(t)
  const dataDir = join(temporaryFolder(t), 'replica')
  const replica = await replicaInProcess(t, {
    source: sourceAt(server.base),
    vkey,
    tokens: server.base,
    dataDir
  })
  await replica.shows(size)
  const same = async (path: string, token = ROOT): Promise<void> => {
    const [own, other] = [
      await replica.send('GET', path, { token }),
      await server.send('GET', path, { token })
    ]
    t.is(own.status, other.status, `${path}: ${own.text}`)
    t.is(own.text, other.text, path)
  }
  for (const path of [
    '/v1/kv/?recurse',
    '/v1/kv/web/port?at=' + (size - 1),
    '/v1/acl/policies',
    '/v1/event/history?topic=KV&key=web/port',
    `/v1/event/proof/inclusion?index=3&size=${size}`,
    `/v1/event/proof/consistency?from=3&to=${size}`,
    `/v1/event/leaf?index=${size}`,
    `/v1/event/tile/0/000.p/${size}`,
    `/v1/event/tile/entries/000.p/${size}`,
    '/v1/event/checkpoint',
    '/v1/event/checkpoint/key',
    `/v1/event/stream?topic=KV&from=1&until=${size}`
  ])
    await same(path)
  await same('/v1/kv/web/port', reader)
  await same('/v1/kv/web/port', '')
  await same('/v1/kv/customers/4711', reader)
  t.is((await replica.send('GET', '/v1/kv/web/port', { token: 'unknown' })).status, 403)

  for (const [method, path] of [
    ['PUT', '/v1/kv/web/port'],
    ['DELETE', '/v1/kv/web/port'],
    ['PUT', '/v1/acl/policy'],
    ['PUT', '/v1/agent/service/register'],
    ['GET', '/v1/snapshot'],
    ['GET', '/v1/kv/web/port?consistent']
  ] as const) {
    const { status, text, headers } = await replica.send(method, path, {
      ...(method === 'PUT' && { body: '{}' })
    })
    t.is(status, 405, `${method} ${path}: ${text}`)
    t.is(headers['x-service-error-code'], 'replica.read-only')
  }

  // It follows, obeys erasures, and continues after a restart.
  await erased(server, { Topic: 'KV', Key: 'customers/4711', Scope: 'history' })
  await server.send('PUT', '/v1/kv/web/port', { body: '8082' })
  await replica.shows(await signed())
  await same('/v1/kv/web/port')
  const value = Buffer.from('the name of a customer').toString('base64')
  const work = replica.running.scope.resolve(ErasureProcess)
  await until('the replica has erased', async () => {
    await work.idle()
    return !bytesIn(dataDir).includes(value)
  })
  await replica.close()
  await growTo(size + 10)
  const again = await replicaInProcess(t, {
    source: sourceAt(server.base),
    vkey,
    tokens: server.base,
    dataDir
  })
  await again.shows(await signed())
  // The base snapshot that its source made is not missing here.
  const { unsound } = await makeSnapshot({ settings: again.running.scope.resolve(SETTINGS) })
  t.deepEqual(unsound, [])
  // One that begins after an erasure shows what is left.
  const late = await replicaInProcess(t, { source: sourceAt(server.base), vkey, tokens: undefined })
  await late.shows(server.app.log.durableIndex)
  const { list } = late.running.scope.resolve(Views).erasures
  const lateWork = late.running.scope.resolve(ErasureProcess)
  await until('it has executed the orders', () =>
    list.every(({ key }) => lateWork.stateOf(key).state === 'done')
  )
  t.is(list.length, 1)
  for (const { send } of [again, late])
    t.is((await send('GET', '/v1/kv/customers/4711?raw')).text, 'another value')
})

test('a replica of a published log ends at the first bad commit, and shows none of it', async t => {
  const { folder, vkey, server, size, signed, growTo, publishTo, sourceIn } = await source(t)
  const [old, full] = [join(folder, 'old'), join(folder, 'full')]
  await publishTo(old)
  await growTo(size + 20)
  await signed()
  await publishTo(full)
  const good = await replicaInProcess(t, { source: sourceIn(full), vkey, tokens: undefined })
  await good.shows(size + 20)
  const all = (await good.send('GET', '/v1/kv/?recurse')).text
  t.is(all, (await server.send('GET', '/v1/kv/?recurse')).text)

  const known = await new PublishedFolder(old).list('payload')
  const added = (await new PublishedFolder(full).list('payload')).find(path => !known.includes(path)) ?? ''
  const segment = (from: string): string => join(from, added)
  const tile = (from: string): string =>
    join(from, 'tile/0/000.p', readdirSync(join(full, 'tile/0/000.p'))[0] ?? '')
  const changes: readonly (readonly [change: (folder: string) => void, message: RegExp])[] = [
    [from => flip(segment(from), 300), /is not what the manifest names/],
    [from => truncateSync(segment(from), 100), /is not what the manifest names/],
    [from => flip(join(from, MANIFEST_FILE), 200), /signature|line|note/],
    [from => writeFileSync(join(from, MANIFEST_FILE), 'garbage'), /note/],
    [from => flip(tile(from), 40), /are not those of its checkpoint/],
    [from => flip(join(from, 'checkpoint'), 60), /checkpoint|signature|Base64|hash/],
    [from => writeFileSync(join(from, 'checkpoint'), Buffer.alloc(3_000_000)), /more than/],
    [from => cpSync(join(old, MANIFEST_FILE), join(from, MANIFEST_FILE)), /the manifest .* has \d+ commits/]
  ]
  for (const [number, [change, message]] of changes.entries()) {
    const from = join(folder, `bad-${number}`)
    symlinkSync(old, from)
    const replica = await replicaInProcess(t, { source: sourceIn(from), vkey, tokens: undefined })
    await replica.shows(size)
    const changed = `${from}-changed`
    cpSync(full, changed, { recursive: true })
    change(changed)
    // At once, because the replica reads it all the time.
    symlinkSync(changed, `${from}-next`)
    renameSync(`${from}-next`, from)
    const { message: reason } = await until(`the source with change ${number} is refused`, replica.refused)
    t.regex(reason, message, `${number}`)
    t.is(replica.log.durableIndex, size)
    await replica.close()
  }
})

test('a source that changes a commit, an erased part or its history is refused with the index of the commit', async t => {
  const { server, vkey, size } = await source(t)
  const connection = new Connection({ address: server.base, token: ROOT })
  const [files, { records: recordsFrom, base }] = [serverFiles(connection), recordSource(connection)]
  const changing = (change: (bytes: Buffer) => Buffer): ReplicaSource =>
    serverSource(files, { base, records: async from => change(await recordsFrom(from)) })
  const value = Buffer.from('another value').toString('base64')
  const refusedFor = async (change: (bytes: Buffer) => Buffer, message: RegExp): Promise<void> => {
    const replica = await replicaInProcess(t, { source: changing(change), vkey, tokens: undefined })
    const { message: reason } = await until('the source is refused', replica.refused)
    t.regex(reason, message)
    t.true(replica.log.durableIndex < size)
    await replica.close()
  }
  await refusedFor(
    bytes => {
      bytes.write(value.replace('a', 'b').replace('Y', 'Z'), bytes.indexOf(value))
      return bytes
    },
    new RegExp(`^commit ${size - 1} was changed: part \\d is not what the header commits to`)
  )
  await refusedFor(bytes => bytes.subarray(0, bytes.length - 1), /damaged after commit \d+/)
  await refusedFor(() => Buffer.from('garbage'), /damaged after commit none/)
  await refusedFor(bytes => bytes.subarray(0, 0), /damaged after commit none/)

  // A server that answers with other commits than those that were requested.
  for (const [records, message] of [
    [[1], /answered commit 1 instead of 2/],
    [[1, 3], /commit 2 is missing in http/]
  ] as const) {
    const all = recordsIn(await recordsFrom(1), 'the server')
    const answer = Buffer.concat(
      all.filter(({ index }) => records.some(one => one === index)).map(one => one.bytes)
    )
    const replica = await replicaInProcess(t, {
      source: serverSource(files, { base, records: async () => answer }),
      vkey,
      tokens: undefined
    })
    t.regex((await until('the source is refused', replica.refused)).message, message)
    await replica.close()
  }
})

test('a payload that the source omits without an ordered erasure is found with later checkpoints', async t => {
  const { server, vkey, size, signed } = await source(t)
  const at = sourceAt(server.base)
  const omitting: ReplicaSource = {
    ...at,
    records: async function* (from, head) {
      for await (const records of at.records(from, head)) {
        for (const record of records)
          if (record.index === size)
            for (const { kind, start, end } of record.layout())
              if (kind === PAYLOAD_PART) record.bytes.fill(ERASED_BYTE, start, end)
        yield records
      }
    }
  }
  const replica = await replicaInProcess(t, { source: omitting, vkey, tokens: undefined })
  await replica.shows(size)
  let value = 0
  const reason = await until('the source is refused', async () => {
    await server.send('PUT', '/v1/kv/other', { body: `${value++}` })
    await signed()
    return replica.refused()
  })
  t.regex(reason.message, new RegExp(`commit ${size} lacks a part that no later commit erases`))
})

test('a replica refuses a log that was forked or has another key, and ignores an earlier checkpoint', async t => {
  const { server, folder, vkey, size, publishTo, sourceIn } = await source(t)
  const old = join(folder, 'old')
  await publishTo(old)
  await server.close()
  cpSync(join(folder, 'data'), join(folder, 'fork'), { recursive: true })
  const fork = async (name: string, value: string): Promise<TestServer> => {
    const other = await serverInProcess(t, { dataDir: join(folder, name) })
    await other.send('PUT', '/v1/kv/fork', { body: value })
    await other.scope.resolve(LogEvidence).required.checkpoints.covering(other.app.log.durableIndex)
    return other
  }
  const [one, two] = [await fork('data', 'one'), await fork('fork', 'two')]
  const place = { current: sourceAt(one.base) }
  const moving: ReplicaSource = {
    files: { place: 'the source', read: (path, most) => place.current.files.read(path, most) },
    records: (from, head) => place.current.records(from, head),
    base: head => place.current.base(head)
  }
  const replica = await replicaInProcess(t, { source: moving, vkey, tokens: undefined })
  await replica.shows(size + 1)
  place.current = sourceIn(old)
  await until('the earlier checkpoint was read', () => replica.log.durableIndex > size)
  t.is(replica.refused(), undefined)
  place.current = sourceAt(two.base)
  const { message } = await until('the fork is refused', replica.refused)
  t.regex(message, /was forked|are not those/)
  t.is((await replica.send('GET', '/v1/kv/fork?raw')).text, 'one')
  const stranger = await serverInProcess(t, { log: 'disk' })
  await stranger.send('PUT', '/v1/kv/a', { body: 'a' })
  await stranger.scope.resolve(LogEvidence).required.checkpoints.covering(2)
  const foreign = replicaInProcess(t, { source: sourceAt(stranger.base), vkey, tokens: undefined })
  await t.throwsAsync(foreign, { message: /the checkpoint is of annals\/.*, and the key of annals\// })
})
