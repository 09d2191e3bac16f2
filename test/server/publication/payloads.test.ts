// Published payloads: complete and verified, without secrets, encrypted, and replaced after an erasure.
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { noteSigner, parseVkey, type NoteKey } from '../../../events/log/evidence/note-keys.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { LogEvidence } from '../../../http/wire/log-evidence.js'
import { publishedSource } from '../../../server/replica/replica-source.js'
import { logFolder } from '../../../server/settings/settings.js'
import { readKeyFile } from '../../../server/publication/key-file.js'
import { payloadCipher, PLAIN, type PayloadCipher } from '../../../server/publication/payload-cipher.js'
import {
  MANIFEST_FILE,
  manifestOrigin,
  openManifest,
  payloadPath,
  readPayloadFile,
  segmentPlace,
  segmentsFrom
} from '../../../server/publication/payload-manifest.js'
import { PayloadPublisher } from '../../../server/publication/payload-publisher.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'
import { recordsIn, verifiedRecords } from '../../../server/publication/verified-records.js'
import { openSourceTree, readHead } from '../../../server/publication/verified-tree.js'
import { annals } from '../../support/command-line.js'
import { createToken } from '../../http/support.js'
import { contentOf, flip, Killed, killedAt, publishing } from '../../support/published-log.js'
import { replicaInProcess } from '../../support/replica.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

const SECRET = '7d0c1a8f-3c5a-4f0e-9d39-b1a6c7de2e55'
const CUSTOMER = 'the name of a customer'

interface Keys {
  readonly log: NoteKey
  readonly manifest: NoteKey
  readonly cipher: PayloadCipher
}

/** Returns all published records, which are verified, from the oldest commit that is not pruned on. */
const recordsOf = async (folder: string, { log, manifest, cipher }: Keys) => {
  const files = folderFiles(folder)
  const { head } = await readHead(files, [log])
  const tree = await openSourceTree(files, head)
  const opened = openManifest((await files.read(MANIFEST_FILE, 1_000_000)) ?? Buffer.alloc(0), manifest)
  const records: StoredRecord[] = []
  for await (const segment of segmentsFrom(files, opened, 1))
    records.push(
      ...recordsIn(cipher.decrypt(await readPayloadFile(files, segment), segmentPlace(segment)), 'it')
    )
  const covered = records.filter(({ index }) => index <= head.size)
  await verifiedRecords(covered, covered[0]?.index ?? 1, tree)
  return { records, head, manifest: opened }
}

const textOf = (records: readonly StoredRecord[]): string =>
  Buffer.concat(records.map(({ bytes }) => bytes)).toString('latin1')

test('payloads are complete, encrypted and without secrets, and an erasure replaces and withdraws their segments', async t => {
  const { server, vkey, folder, growTo, publish } = await publishing(t)
  const [target, key, manifestKey] = ['published', 'payload.key', 'manifest.key'].map(name =>
    join(folder, name)
  )
  if (target === undefined || key === undefined || manifestKey === undefined) return t.fail()
  const flags = ['-payloads', '-payload-key', key, '-manifest-key', manifestKey]
  await server.send('PUT', '/v1/acl/token', { body: { SecretID: SECRET } })
  await server.send('PUT', '/v1/kv/customers/4711', { body: CUSTOMER })
  await server.send('PUT', '/v1/kv/customers/4711', { body: 'another value' })
  // More than a segment, and segments that are not full.
  await growTo(1100)
  for (let size = 1101; size < 1120; size++) {
    await growTo(size)
    const { code, errors } = await publish(target, ...flags)
    t.is(code, 0, errors)
  }
  t.is(statSync(key).mode & 0o777, 0o600)
  const { errors } = await publish(target, ...flags)
  const [, manifestVkey = ''] = /signed by (\S+)/.exec(errors) ?? []
  const keys: Keys = {
    log: parseVkey(vkey),
    manifest: parseVkey(manifestVkey),
    cipher: payloadCipher(await readKeyFile(key))
  }
  const before = await recordsOf(target, keys)
  t.true(before.manifest.size >= 1119 && before.records.length === before.manifest.size)
  t.true(before.manifest.segments.length <= 18, `${before.manifest.segments.length} segments`)
  const value = Buffer.from(CUSTOMER).toString('base64')
  t.true(textOf(before.records).includes(value))
  t.false(textOf(before.records).includes(SECRET))
  const encrypted = Object.values(await contentOf(target)).map(text => Buffer.from(text, 'base64'))
  t.false(encrypted.some(bytes => bytes.includes(value) || bytes.includes('customers/4711')))

  const order = { Topic: 'KV', Key: 'customers/4711', Scope: 'history' }
  const { status, text } = await server.send('POST', '/v1/event/erase', {
    body: { ...order, Reason: 'request' }
  })
  t.is(status, 200, text)
  const work = server.scope.resolve(ErasureProcess)
  await until('the erasure is done', async () => {
    await work.idle()
    return server.app.views.erasures.list.every(({ key: name }) => work.stateOf(name).state === 'done')
  })
  await growTo(1125)
  t.is((await publish(target, ...flags)).code, 0)
  const after = await recordsOf(target, keys)
  t.false(textOf(after.records).includes(value))
  t.true(after.manifest.erasedUpTo > 1119)
  const [withdrawn] = before.manifest.segments
  t.truthy(withdrawn)
  if (withdrawn)
    await t.throwsAsync(readPayloadFile(folderFiles(target), withdrawn), { message: /has no file/ })
  const named = [...after.manifest.pages, ...after.manifest.segments].map(payloadPath)
  const stored = (await new PublishedFolder(target).list('payload')).filter(path => path !== MANIFEST_FILE)
  t.deepEqual(stored.toSorted(), named.toSorted(), 'nothing else is there')

  // Keys and changed files.
  writeFileSync(key, `${Buffer.alloc(32).toString('base64')}\n`)
  const other = await publish(target, ...flags)
  t.is(other.code, 1)
  t.regex(other.errors, /published with aes-256-gcm [0-9a-f]{8}, and this key is aes-256-gcm/)
  const bad = join(folder, 'bad')
  cpSync(target, bad, { recursive: true })
  flip(join(bad, named[0] ?? ''), 100)
  await t.throwsAsync(recordsOf(bad, keys), { message: /is not what the manifest names/ })
  flip(join(bad, MANIFEST_FILE), 150)
  await t.throwsAsync(recordsOf(bad, keys), { name: 'MalformedNote' })
  const wrong = { ...keys, cipher: payloadCipher(Buffer.alloc(32, 1)) }
  await t.throwsAsync(recordsOf(target, wrong), { message: /encrypted with another key, or was changed/ })
})

test('a publication of payloads that ends at any file continues, and leaves nothing behind', async t => {
  const { server, folder, key, growTo, publish } = await publishing(t)
  const base = join(folder, 'base')
  await growTo(40)
  await publish(base)
  const files = folderFiles(base)
  const { head } = await readHead(files, [key])
  const tree = await openSourceTree(files, head)
  const signer = noteSigner(manifestOrigin(head.origin), Buffer.alloc(32, 7))
  const cipher = payloadCipher(Buffer.alloc(32, 8))
  const source = {
    records: async (from: number) =>
      Buffer.from(
        await (
          await fetch(`${server.base}/v1/event/records?from=${from}`, {
            headers: { 'X-Service-Token': ROOT }
          })
        ).arrayBuffer()
      ),
    base: async () => ({ oldest: 1, base: undefined }),
    erasures: async () => []
  }
  const publisherTo = (target: ConstructorParameters<typeof PayloadPublisher>[0]['target']) =>
    new PayloadPublisher({ source, target, cipher, signerOf: () => signer })
  let isComplete = false
  for (let kill = 0; !isComplete; kill++) {
    const target = join(folder, `killed-${kill}`)
    cpSync(base, target, { recursive: true })
    const published = new PublishedFolder(target)
    try {
      await publisherTo(killedAt(published, kill)).publish(head, tree)
      isComplete = true
      t.true(kill > 2)
    } catch (error) {
      t.true(error instanceof Killed, String(error))
    }
    await publisherTo(published).publish(head, tree)
    const { records, manifest } = await recordsOf(target, { log: key, manifest: signer.key, cipher })
    t.is(records.length, head.size)
    t.is((await published.list('payload')).length, 1 + manifest.segments.length)
  }
})

test('flags of payloads that do not go together are refused, and plain payloads have a warning', async t => {
  const { folder, publish } = await publishing(t)
  const [target, key] = [join(folder, 'published'), join(folder, 'manifest.key')]
  const refused = async (message: RegExp, ...flags: readonly string[]): Promise<void> => {
    const { code, errors } = await publish(target, ...flags)
    t.is(code, 1, errors)
    t.regex(errors, message)
  }
  await refused(/need --payloads/, '-plain')
  await refused(/either --payload-key, .* or --plain/, '-payloads', '-manifest-key', key)
  await refused(/--payloads needs --manifest-key/, '-payloads', '-plain')
  writeFileSync(key, 'no key')
  await refused(/is no key/, '-payloads', '-plain', '-manifest-key', key)
  const { code, errors } = await publish(target, '-payloads', '-plain', '-manifest-key', `${key}.new`)
  t.is(code, 0, errors)
  t.regex(errors, /warning: payloads are published without encryption/)
  t.is((await annals(['log', 'publish'])).code, 1)
  t.true(readFileSync(join(target, MANIFEST_FILE), 'utf8').includes('\ncipher plain\n'))
})

test('commits that the server has pruned leave the publication, and an erasure reaches the others', async t => {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  const start = async (config: Readonly<Record<string, unknown>>): Promise<TestServer> => {
    const log = await SegmentEventLog.open({ path: logFolder(dataDir), segmentBytes: 1024 * 1024 })
    return serverInProcess(t, { dataDir, log, config })
  }
  const [target, manifestKey] = [join(folder, 'published'), join(folder, 'manifest.key')]
  const publish = async (server: TestServer): Promise<string> => {
    await server.scope.resolve(LogEvidence).required.checkpoints.covering(server.app.log.durableIndex)
    const at = ['log', 'publish', target, '-http-addr', server.base, '-token', ROOT]
    const { code, errors } = await annals([...at, '-payloads', '-plain', '-manifest-key', manifestKey])
    t.is(code, 0, errors)
    return errors
  }
  const first = await start({})
  const { AccessorID, SecretID: token } = await createToken(first, {
    Policies: [{ ID: '00000000-0000-0000-0000-000000000001' }]
  })
  for (const value of ['an old address', 'the newest address'])
    await first.send('PUT', '/v1/kv/customers/1', { body: value, token })
  for (let i = 0; i < 40; i++)
    await first.send('PUT', '/v1/kv/customers/2', { body: `${i}${'x'.repeat(100_000)}` })
  await publish(first)
  await first.close()

  const server = await start({ log: { level: 'silent', retain: { commits: 10 } } })
  await until('the oldest commits are pruned', () => server.app.log.firstIndex > 10)
  for (const order of [
    { Topic: 'KV', Prefix: 'customers/', Scope: 'history' },
    { Part: 'who', Accessor: AccessorID }
  ]) {
    await server.send('PUT', '/v1/kv/other', { body: JSON.stringify(order), token })
    const { status, text } = await server.send('POST', '/v1/event/erase', { body: { ...order, Reason: 'r' } })
    t.is(status, 200, text)
  }
  await until('the erasures are done', async () => {
    const { text } = await server.send('GET', '/v1/event/erasures')
    return text.match(/"State":"done"/g)?.length === 2
  })
  const [, manifestVkey = ''] = /signed by (\S+)/.exec(await publish(server)) ?? []
  const { vkey } = server.scope.resolve(LogEvidence).required
  const keys = { log: parseVkey(vkey), manifest: parseVkey(manifestVkey), cipher: PLAIN }
  const { records, head } = await recordsOf(target, keys)
  const { firstIndex } = server.app.log
  t.deepEqual([records[0]?.index, records.length], [firstIndex, head.size - firstIndex + 1])
  const published = textOf(records)
  for (const value of ['an old address', 'the newest address'])
    t.false(published.includes(Buffer.from(value).toString('base64')), 'it is of a pruned commit')
  t.deepEqual(
    records.filter(({ by }) => by.AccessorID === AccessorID).map(({ index }) => index),
    []
  )
  t.is(records.filter(({ by }) => by.Erased).length, 2)

  const source = publishedSource(folderFiles(target), { manifestKey: keys.manifest, cipher: PLAIN })
  const replica = await replicaInProcess(t, { source, vkey, tokens: undefined })
  await replica.shows(head.size)
  const path = '/v1/kv/?recurse'
  t.is((await replica.send('GET', path)).text, (await server.send('GET', path)).text)
})
