// A replica begins with the base snapshot of a source that has pruned its oldest commits.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { Views } from '../../../projections/read-models.js'
import { payloadCipher, PLAIN } from '../../../server/publication/payload-cipher.js'
import { MANIFEST_FILE, payloadPath, readPieces } from '../../../server/publication/payload-manifest.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'
import { type ReplicaSource } from '../../../server/replica/replica-source.js'
import { ServerSnapshots } from '../../../server/snapshots/server-snapshots.js'
import { incomingLogFolder, logFolder } from '../../../server/settings/settings.js'
import { annals } from '../../support/command-line.js'
import { bytesIn, flip, Killed, killedAt } from '../../support/published-log.js'
import { replicaInProcess, sourceAt } from '../../support/replica.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import {
  CUSTOMER,
  LARGE_VALUE,
  SECRETS,
  stored,
  prunedServer,
  erased,
  sameState
} from '../../support/pruned-log.js'

test('a replica begins with the base snapshot of a pruned publication, and continues after a restart', async t => {
  const { server, vkey, signed, publishTo, sourceIn, manifestIn } = await prunedServer(t)
  const folder = join(temporaryFolder(t), 'published')
  await publishTo(new PublishedFolder(folder))
  const { base, segments, size } = manifestIn(folder)
  t.true(base !== undefined && base.last > 20 && base.last < size)
  t.is((segments[0]?.last ?? 0) - (segments[0]?.count ?? 0) + 1, server.app.log.firstIndex)

  const dataDir = join(temporaryFolder(t), 'replica')
  const start = () => replicaInProcess(t, { source: sourceIn(folder), vkey, tokens: server.base, dataDir })
  const replica = await start()
  await replica.shows(size)
  t.is(replica.log.firstIndex, (base?.last ?? 0) + 1)
  await sameState(t, replica.running.scope.resolve(Views), server.app.views, async () => {
    await signed()
    await publishTo(new PublishedFolder(folder))
  })
  const same = async (path: string, from = replica): Promise<void> => {
    const [own, other] = [await from.send('GET', path), await server.send('GET', path)]
    t.is(own.status, other.status, `${path}: ${own.text}`)
    t.is(own.text, other.text, path)
  }
  for (const path of [
    '/v1/kv/?recurse',
    '/v1/acl/policies',
    '/v1/kv/customers/4711?at=3',
    '/v1/event/history?topic=KV&key=web/port',
    `/v1/event/proof/inclusion?index=3&size=${size}`,
    `/v1/event/proof/consistency?from=3&to=${size}`,
    `/v1/event/leaf?index=${size}`,
    '/v1/event/checkpoint'
  ])
    await same(path)
  t.is((await replica.send('GET', '/v1/event/leaf?index=3')).status, 410)

  await server.send('PUT', '/v1/kv/web/port', { body: '8081' })
  await server.send('PUT', '/v1/acl/token', { body: '{}' })
  await signed()
  await publishTo(new PublishedFolder(folder))
  await replica.shows(server.app.log.durableIndex)
  await same('/v1/kv/web/port')
  await replica.close()
  const [own, others] = [replica.running.scope.resolve(Views), server.app.views].map(views =>
    JSON.stringify([...views.dump()])
  )
  for (const secret of [...SECRETS, 'keptAnswers.keys']) {
    t.true(others?.includes(secret), secret)
    t.false(own?.includes(secret), secret)
    t.false(bytesIn(dataDir).includes(secret), secret)
  }
  const verified = await annals(['log', 'verify', '--data-dir', dataDir])
  t.is(verified.code, 0, verified.errors)
  t.regex(verified.output, /the log is that of a replica, which never has secrets/)
  t.regex(verified.output, /came from the source of this replica, and no commit proves what it holds/)

  await server.send('PUT', '/v1/kv/web/port', { body: '8082' })
  await signed()
  await publishTo(new PublishedFolder(folder))
  const again = await start()
  await again.shows(server.app.log.durableIndex)
  await same('/v1/kv/web/port', again)
  await sameState(t, again.running.scope.resolve(Views), server.app.views, async () => {
    await signed()
    await publishTo(new PublishedFolder(folder))
  })
})

test('a replica of a pruned server begins with its base snapshot, also if the first attempt was interrupted', async t => {
  const { server, vkey, signed } = await prunedServer(t)
  const dataDir = join(temporaryFolder(t), 'replica')
  const at = sourceAt(server.base)
  const interrupted: ReplicaSource = {
    ...at,
    base: async head => {
      const base = await at.base(head)
      if (!base) return undefined
      const bytes = async function* () {
        for await (const piece of base.bytes) {
          yield piece.subarray(0, 100)
          throw new Killed()
        }
      }
      return { index: base.index, bytes: bytes() }
    }
  }
  await t.throwsAsync(replicaInProcess(t, { source: interrupted, vkey, tokens: server.base, dataDir }), {
    instanceOf: Killed
  })
  t.true(existsSync(incomingLogFolder(dataDir)))
  t.false(existsSync(logFolder(dataDir)))
  const replica = await replicaInProcess(t, { source: at, vkey, tokens: server.base, dataDir })
  await replica.shows(await signed())
  await sameState(t, replica.running.scope.resolve(Views), server.app.views, signed)

  // It is the source of another replica, with the same base snapshot.
  const second = await replicaInProcess(t, { source: sourceAt(replica.base), vkey, tokens: server.base })
  await second.shows(server.app.log.durableIndex)
  await sameState(t, second.running.scope.resolve(Views), server.app.views, signed)
})

test('published payloads of a pruned log have no secrets, and an erasure reaches their base snapshot and that of a replica', async t => {
  const { server, vkey, signed, publishTo, sourceIn, manifestIn } = await prunedServer(t)
  const folder = join(temporaryFolder(t), 'published')
  const dataDir = join(temporaryFolder(t), 'replica')
  const target = new PublishedFolder(folder)
  await publishTo(target, PLAIN)
  const before = manifestIn(folder)
  const replica = await replicaInProcess(t, {
    source: sourceIn(folder, PLAIN),
    vkey,
    tokens: undefined,
    dataDir
  })
  await replica.shows(before.size)
  t.true((await replica.send('GET', '/v1/kv/customers/4711')).text.includes(stored(CUSTOMER)))

  for (const body of ['a second value', 'another value'])
    await server.send('PUT', '/v1/kv/customers/4711', { body })
  await erased(server, { Topic: 'KV', Key: 'customers/4711', Scope: 'history' })
  await signed()
  await publishTo(target, PLAIN)
  const after = manifestIn(folder)
  t.true((after.base?.last ?? 0) > (before.base?.last ?? 0))
  const files = await target.list('payload')
  const pieces = after.base ? [after.base, ...(await readPieces(target, after.base))] : []
  const named = [...after.pages, ...after.segments, ...pieces].map(payloadPath)
  t.deepEqual(files.toSorted(), [...named, MANIFEST_FILE].toSorted(), 'nothing else is there')

  await replica.shows(after.size)
  const work = replica.running.scope.resolve(ErasureProcess)
  await until('the replica has erased', async () => {
    await work.idle()
    const { list } = replica.running.scope.resolve(Views).erasures
    return list.length === 1 && list.every(({ key }) => work.stateOf(key).state === 'done')
  })
  const bases = readdirSync(join(logFolder(dataDir), 'base')).filter(name => name.endsWith('.base'))
  t.is(bases.length, 2)
  t.true(bases.every(name => Number(name.split('-')[0]) > before.size))
  await replica.close()
  // Both begin with base snapshots from after the erasure, in which compressed blocks could hide the value.
  const again = await replicaInProcess(t, {
    source: sourceIn(folder, PLAIN),
    vkey,
    tokens: undefined,
    dataDir
  })
  const fresh = await replicaInProcess(t, { source: sourceIn(folder, PLAIN), vkey, tokens: undefined })
  for (const one of [again, fresh]) {
    await one.shows(after.size)
    const views = one.running.scope.resolve(Views)
    await sameState(t, views, server.app.views, async () => {
      await signed()
      await publishTo(new PublishedFolder(folder), PLAIN)
    })
    t.false(JSON.stringify([...views.dump()]).includes(stored(CUSTOMER)))
    t.true((await one.send('GET', '/v1/kv/customers/4711')).text.includes(stored('another value')))
  }
  const history = await again.send('GET', '/v1/event/history?topic=KV&key=customers/4711&payload')
  t.false(history.text.includes(stored(CUSTOMER)))
  for (const index of [before.base?.last ?? 0, before.size])
    t.false((await again.send('GET', `/v1/kv/customers/4711?at=${index}`)).text.includes(stored(CUSTOMER)))
})

test('pruned commits leave the publication when the base snapshot moves', async t => {
  const { server, signed, publishTo, manifestIn } = await prunedServer(t)
  const folder = join(temporaryFolder(t), 'published')
  const target = new PublishedFolder(folder)
  await publishTo(target, PLAIN)
  const before = manifestIn(folder)
  await server.send('PUT', '/v1/kv/short-lived', { body: 'a short-lived value' })
  await server.send('DELETE', '/v1/kv/short-lived')
  for (let i = 0; i < 40; i++) await server.send('PUT', '/v1/kv/large/0', { body: `${i}${LARGE_VALUE}` })
  await signed()
  await publishTo(target, PLAIN)
  const value = stored('a short-lived value')
  t.true(bytesIn(folder).includes(value))
  const { firstIndex } = server.app.log
  server.scope.resolve(ServerSnapshots).lookAtRetention()
  await until('more commits are pruned', () => server.app.log.firstIndex > before.size + 2)
  await server.send('PUT', '/v1/kv/web/port', { body: '8081' })
  await signed()
  await publishTo(target, PLAIN)
  const after = manifestIn(folder)
  t.true((after.base?.last ?? 0) >= server.app.log.firstIndex - 1 && firstIndex < server.app.log.firstIndex)
  t.is((after.segments[0]?.last ?? 0) - (after.segments[0]?.count ?? 0) + 1, server.app.log.firstIndex)
  t.false(bytesIn(folder).includes(value))
})

test('a base snapshot that was tampered with, or is of another log, is refused', async t => {
  const { server, vkey, publishTo, sourceIn, manifestIn } = await prunedServer(t)
  const folder = join(temporaryFolder(t), 'published')
  await publishTo(new PublishedFolder(folder))
  const { base } = manifestIn(folder)
  if (!base) return t.fail()
  const [piece] = await readPieces(folderFiles(folder), base)
  if (!piece) return t.fail()
  const refused = async (source: ReplicaSource, message: RegExp): Promise<void> => {
    const dataDir = join(temporaryFolder(t), 'replica')
    await t.throwsAsync(replicaInProcess(t, { source, vkey, tokens: undefined, dataDir }), { message })
    t.false(existsSync(logFolder(dataDir)))
  }
  const changed = (change: (copy: string) => void): string => {
    const copy = join(temporaryFolder(t), 'copy')
    cpSync(folder, copy, { recursive: true })
    change(copy)
    return copy
  }
  await refused(
    sourceIn(changed(copy => flip(join(copy, payloadPath(piece)), 50))),
    /piece 1 of the base snapshot.* is not what the manifest names/
  )
  await refused(
    sourceIn(changed(copy => flip(join(copy, payloadPath(base)), 3))),
    /the list of the base snapshot.* is not what the manifest names/
  )
  await refused(sourceIn(changed(copy => rmSync(join(copy, payloadPath(piece))))), /has no file payload/)
  await refused(sourceIn(folder, payloadCipher(Buffer.alloc(32, 1))), /the payloads of .* are aes-256-gcm/)

  // A server that answers with another file.
  const at = sourceAt(server.base)
  const other = await prunedServer(t)
  const withBase = (change: (bytes: Buffer) => Buffer, from = at, index = 0): ReplicaSource => ({
    ...at,
    base: async head => {
      const received = await from.base(head)
      if (!received) return undefined
      const pieces: Uint8Array[] = []
      for await (const one of received.bytes) pieces.push(one)
      const bytes = async function* () {
        yield change(Buffer.concat(pieces))
      }
      return { index: received.index + index, bytes: bytes() }
    }
  })
  await refused(
    withBase(bytes => bytes.subarray(0, -1)),
    /not the base/
  )
  await refused(
    withBase(bytes => bytes.fill(0, 300, 301)),
    /not the base/
  )
  await refused(
    withBase(bytes => bytes, at, 1),
    /not the base/
  )
  await refused(
    withBase(bytes => bytes, at, 1000),
    /the base snapshot of .* is of commit/
  )
  await refused(
    withBase(bytes => bytes, sourceAt(other.server.base)),
    /is of another log: commit \d+ has another hash/
  )
})

test('a publication with a base snapshot that ends at any file continues, and leaves nothing behind', async t => {
  const { publishTo, sourceIn, manifestIn, vkey } = await prunedServer(t)
  const root = temporaryFolder(t)
  let isComplete = false
  let folder = ''
  for (let kill = 0; !isComplete; kill += 3) {
    folder = join(root, `killed-${kill}`)
    const target = new PublishedFolder(folder)
    try {
      await publishTo(killedAt(target, kill))
      isComplete = true
      t.true(kill > 6)
    } catch (error) {
      t.true(error instanceof Killed, String(error))
    }
    await publishTo(target)
    const { base, pages, segments } = manifestIn(folder)
    const pieces = base ? [base, ...(await readPieces(target, base))] : []
    const named = [...pages, ...segments, ...pieces].map(payloadPath)
    t.deepEqual((await target.list('payload')).toSorted(), [...named, MANIFEST_FILE].toSorted())
  }
  const replica = await replicaInProcess(t, { source: sourceIn(folder), vkey, tokens: undefined })
  await replica.shows(manifestIn(folder).size)
})

test('a replica that missed a deletion before its erasure stops, and a new one shows nothing of it', async t => {
  const { server, vkey, signed } = await prunedServer(t)
  const source = sourceAt(server.base)
  const dataDir = join(temporaryFolder(t), 'replica')
  const replica = await replicaInProcess(t, { source, vkey, tokens: undefined, dataDir })
  await replica.shows(await signed())
  await replica.close()
  await server.send('DELETE', '/v1/kv/customers/4711')
  await erased(server, { Topic: 'KV', Key: 'customers/4711' })
  await signed()
  for (let start = 0; start < 2; start++) {
    const behind = await replicaInProcess(t, { source, vkey, tokens: undefined, dataDir })
    const { message } = await until('the replica stops', behind.refused)
    t.regex(message, /commit \d+ deleted KV "customers\/4711", .* start it with an empty data folder/)
    await behind.close()
  }
  const fresh = await replicaInProcess(t, { source, vkey, tokens: undefined })
  await fresh.shows(server.app.log.durableIndex)
  t.is((await fresh.send('GET', '/v1/kv/customers/4711')).status, 404)
  await sameState(t, fresh.running.scope.resolve(Views), server.app.views, signed)
})
