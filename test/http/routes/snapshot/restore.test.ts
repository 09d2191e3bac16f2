// The restore as a process: in bounded pieces, with others served in between, and through crashes.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'ava'
import { SERVER } from '../../../../actors/aggregate.js'
import { DEFAULT_TENANCY, type Commit } from '../../../../events/envelope.js'
import { MAX_EVENTS } from '../../../../actors/snapshot/restore-order.js'
import { SnapshotRestores } from '../../../../actors/snapshot/restores.js'
import { SNAPSHOT_STORES } from '../../../../actors/ports.js'
import { blocksOf } from '../../../../projections/restore-views.js'
import { DiskArchiveStore } from '../../../../http/routes/snapshot/disk-archive-store.js'
import { gatedLog } from '../../../support/gated-log.js'
import { startServer, temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { send } from '../../../support/client.js'
import { until } from '../../../support/wait.js'
import { fillKeys } from '../../tenancy/support.js'
import { createPolicy, createToken } from '../../support.js'
import { archiveOf, TEST_ORIGIN, EVENT, filesOf, line } from './archive-fixtures.js'
import { contentOf, restore, save, usedServer } from './support.js'

const KEYS = 1500
const PIECE = 'RestoreSnapshotPiece'
const GZIP_MAGIC = 0x1f8b

/** Every commit from now on, and what is to happen with the first piece. */
const following = ({ app }: TestServer, atFirstPiece: () => void = () => {}): readonly Commit[] => {
  const commits: Commit[] = []
  let seen = false
  app.committer.signals.on('applied', commit => {
    commits.push(commit)
    if (commit.By.Command !== PIECE || seen) return
    seen = true
    atFirstPiece()
  })
  return commits
}

const keyed = async (t: Parameters<typeof serverInProcess>[0], keys = KEYS): Promise<TestServer> => {
  const server = await serverInProcess(t, { log: 'disk' })
  await fillKeys(server, 'default', keys)
  return server
}

test('a restore begins in the log, comes in bounded pieces between which others are answered, and ends in the log', async t => {
  const from = await keyed(t)
  const into = await usedServer(t)
  const answered: number[] = []
  const commits = following(into, () => {
    void into.send('GET', '/v1/kv/nothing').then(() => answered.push(commits.length))
  })
  t.is((await restore(into, await save(from))).status, 200)
  t.is(contentOf(into), contentOf(from))
  // The server registers its own node again, since the node of the snapshot has the ID of the other server.
  const names = commits.map(({ By }) => By.Command).filter(name => name !== 'Register')
  t.is(names[0], 'RestoreSnapshot')
  t.is(names.at(-1), 'EndSnapshotRestore')
  const pieces = commits.filter(({ By }) => By.Command === PIECE)
  t.true(pieces.length >= KEYS / MAX_EVENTS)
  t.true(pieces.every(({ Events }) => Events.length <= MAX_EVENTS))
  t.true(answered.length === 1 && Number(answered[0]) < commits.length - 3, 'answered before the last pieces')
  t.deepEqual(
    commits.map(({ Index }) => Index),
    commits.map((_, i) => Number(commits[0]?.Index) + i)
  )
})

test('what clients write after the beginning of a restore is theirs; another restore is refused meanwhile', async t => {
  const from = await keyed(t)
  const archive = await save(from)
  const into = await serverInProcess(t, { log: 'disk' })
  await into.send('PUT', '/v1/kv/old', { body: 'x' })
  const done: Promise<unknown>[] = []
  const statuses: number[] = []
  following(into, () => {
    done.push(
      into.send('PUT', '/v1/kv/new', { body: 'theirs' }),
      into.send('PUT', `/v1/kv/k/${KEYS - 1}`, { body: 'theirs' }),
      restore(into, archive).then(({ status }) => statuses.push(status))
    )
  })
  t.is((await restore(into, archive)).status, 200)
  await Promise.all(done)
  t.deepEqual(statuses, [409])
  const value = async (key: string): Promise<string> => (await into.send('GET', `/v1/kv/${key}?raw`)).text
  t.is(await value('new'), 'theirs')
  t.is(await value(`k/${KEYS - 1}`), 'theirs')
  t.is(await value('k/0'), 'v')
  t.is((await into.send('GET', '/v1/kv/old')).status, 404)
  t.is(into.app.views.restore.current, undefined)
  t.false(existsSync(join(into.settings.data_dir, 'restore.tgz')))
})

test('a token survives a restore that replaces it, and names belong to the resources of the snapshot', async t => {
  const [from, into] = await Promise.all([keyed(t, 300), usedServer(t)])
  const id = await createPolicy(from, 'reader', 'key "a" { policy = "read" }')
  const other = await createPolicy(into, 'reader', 'key "b" { policy = "read" }')
  t.not(id, other)
  const { SecretID } = await createToken(from, { Policies: [{ Name: 'reader' }] })
  const denied: number[] = []
  into.app.committer.signals.on('applied', () => {
    if (!into.app.views.tokens.bySecret(ROOT)) denied.push(into.app.views.index)
  })
  t.is((await restore(into, await save(from))).status, 200)
  t.deepEqual(denied, [])
  t.is(contentOf(into), contentOf(from))
  t.is(into.app.views.policies.named(DEFAULT_TENANCY, 'reader')?.policy.ID, id)
  t.is((await into.send('GET', '/v1/kv/a', { token: SecretID })).status, 404)
})

test('what the snapshot lacks ends with what stands on it: nodes, services, checks, sessions, namespaces', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const archive = await save(server)
  const put = async (path: string, body: unknown): Promise<string> => {
    const { status, text } = await server.send('PUT', path, { body })
    t.is(status, 200, `${path}: ${text}`)
    return text
  }
  await put('/v1/partition', { Name: 'team' })
  await put('/v1/namespace', { Name: 'shop' })
  await put('/v1/kv/in-shop?ns=shop', 'v')
  await put('/v1/catalog/register', {
    Node: 'web-1',
    Address: '10.0.0.1',
    Service: { ID: 'web', Service: 'web' },
    Checks: [
      { CheckID: 'alive', Name: 'alive', Status: 'passing' },
      { CheckID: 'ok', Name: 'ok', Status: 'passing', ServiceID: 'web' }
    ]
  })
  const { ID }: { readonly ID: string } = JSON.parse(
    await put('/v1/session/create', { Node: 'web-1', NodeChecks: ['alive'] })
  )
  await put(`/v1/kv/held?acquire=${ID}`, 'v')
  await put('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await createPolicy(server, 'later', '')
  t.deepEqual(await restore(server, archive), { status: 200, text: '' })
  const { partitions, namespaces, catalog, kv, sessions, config, policies } = server.app.views
  t.is(partitions.get('team'), undefined)
  t.is(namespaces.get({ partition: 'default', namespace: 'shop' }), undefined)
  t.is(catalog.node('default', 'web-1'), undefined)
  t.deepEqual(
    Array.from(catalog.checksBehind(DEFAULT_TENANCY), ({ state }) => state.check.Node),
    ['server-1']
  )
  t.is(kv.size, 0)
  t.is(sessions.get(ID), undefined)
  t.is(config.row('service-defaults', 'web', DEFAULT_TENANCY), undefined)
  t.is(policies.named(DEFAULT_TENANCY, 'later'), undefined)
})

test('a node is restored with its address if its last event was of another kind', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const register = async (body: object): Promise<void> => {
    t.is((await server.send('PUT', '/v1/catalog/register', { body: { Node: 'web-1', ...body } })).status, 200)
  }
  await register({ Address: '10.0.0.1' })
  await register({ Address: '10.0.0.1', Check: { CheckID: 'alive', Name: 'alive', Status: 'critical' } })
  const archive = await save(server)
  await register({ Address: '10.0.0.2' })
  t.is((await restore(server, archive)).status, 200)
  t.is(server.app.views.catalog.node('default', 'web-1')?.node.Address, '10.0.0.1')
})

test('a restore that a crash interrupts resumes at the next start', async t => {
  const from = await keyed(t, 6000)
  const dataDir = `${temporaryFolder(t)}/data`
  const key = Buffer.alloc(32, 1).toString('base64')
  const options = { dataDir, initialManagement: ROOT, config: { encryption: { key } } }
  const first = await startServer(t, options)
  await send(first.base, 'PUT', '/v1/kv/used', { token: ROOT, body: 'x' })
  const cut = restore(first, await save(from)).catch(() => undefined)
  const keysOf = async (base: string): Promise<number> => {
    const { status, text } = await send(base, 'GET', '/v1/kv/?keys', { token: ROOT })
    return status === 200 ? JSON.parse(text).length : 0
  }
  await until('a part of it is there', async () => (await keysOf(first.base)) > 100)
  await first.kill()
  await cut
  t.not(
    readFileSync(join(dataDir, 'restore.tgz')).readUInt16BE(0),
    GZIP_MAGIC,
    'it is encrypted as the log is'
  )
  const second = await startServer(t, options)
  await until('all of it is there', async () => (await keysOf(second.base)) === 6000)
  await until('the archive is gone', () => !existsSync(join(dataDir, 'restore.tgz')))
  await second.stop()
  t.regex(second.log(), /the restore of the snapshot is complete/)
})

test('a restore waits while a start deletes old archives, and is not refused', async t => {
  const from = await serverInProcess(t)
  await from.send('PUT', '/v1/kv/a', { body: 'x' })
  const archive = await save(from, '?state')
  const into = await usedServer(t)
  const [store, restores] = [into.scope.resolve(DiskArchiveStore), into.scope.resolve(SnapshotRestores)]
  const clear = store.clear.bind(store)
  let release = (): void => {}
  const held = new Promise<void>(resolve => (release = resolve))
  store.clear = () => held.then(clear)
  const starting = restores.resume()
  const restoring = restores.restore(Readable.from([archive]), SERVER)
  release()
  t.is(await starting, 'nothing')
  await restoring
  t.is((await into.send('GET', '/v1/kv/a?raw')).text, 'x')
})

test('a restore reads the log again if its base snapshot is replaced meanwhile', async t => {
  const from = await keyed(t, 10)
  const into = await usedServer(t, { log: 'disk' })
  const { bases } = into.scope.resolve(SNAPSHOT_STORES)
  const { views } = into.app
  const renewBase = async (): Promise<void> => {
    await into.app.committer.durable()
    const index = views.index
    await bases.write(index, blocksOf(views.saved()))
    await bases.keepOnly(index)
  }
  await renewBase()
  const open = bases.open.bind(bases)
  const opened: number[] = []
  bases.open = async index => {
    if (opened.push(index) === 1) await renewBase()
    return open(index)
  }
  t.is((await restore(into, await save(from))).status, 200)
  t.is(contentOf(into), contentOf(from))
  t.is(opened.length, 2)
  t.true(Number(opened[1]) > Number(opened[0]))
})

test('a restore resumes when the log accepts writes again', async t => {
  const from = await keyed(t)
  const archive = await save(from)
  const gate = gatedLog()
  const into = await serverInProcess(t, { log: gate.log })
  const rebuilt = new Promise<void>(resolve => into.app.committer.signals.once('rebuilt', resolve))
  let pieces = 0
  into.app.committer.signals.on('applied', ({ By }) => {
    if (By.Command === PIECE && ++pieces === 5) gate.fail()
  })
  const restored = restore(into, archive)
  await rebuilt
  gate.heal()
  t.is((await restored).status, 200)
  t.is(contentOf(into), contentOf(from))
})

test('a restore whose archive is missing at the next start ends, is reported and blocks nothing', async t => {
  const from = await keyed(t, 300)
  const archive = await save(from)
  const dataDir = `${temporaryFolder(t)}/data`
  const first = await usedServer(t, { dataDir })
  let closing: Promise<void> | undefined
  following(first, () => {
    closing = first.close()
  })
  t.is((await restore(first, archive)).status, 503)
  await closing
  rmSync(join(dataDir, 'restore.tgz'))
  const second = await serverInProcess(t, { dataDir })
  const commits: Commit[] = []
  await until('it is ended', () => second.app.views.restore.current === undefined)
  await second.app.committer.durable()
  for await (const commit of second.app.log.read(1)) commits.push(commit)
  const end = commits.flatMap(({ Events }) => Events).find(({ Type }) => Type === 'SnapshotRestoreEnded')
  t.like(end, { Payload: { Restore: { Complete: false } } })
  await until('it is out of the way', async () => (await restore(second, archive)).status === 200)
  t.is(contentOf(second), contentOf(from))
})

/** An archive of one commit with these events. */
const archiveWith = (...events: readonly object[]): Promise<Buffer> => {
  const head = { Index: 1, Time: '2026-01-01T00:00:00Z', By: TEST_ORIGIN, Events: events.length }
  return archiveOf(filesOf([{ Annals: 2 }, head, ...events].map(line).join(''), line({ Index: 1 })))
}

test('what every server has stays, also where the archive does not have it', async t => {
  const server = await serverInProcess(t, { log: 'disk', config: { acl: { enabled: false } } })
  const KV = { Key: 'a', Value: 'dg==', Flags: 0, LockIndex: 0, CreateIndex: 1, ModifyIndex: 1 }
  const archive = await archiveWith({ ...EVENT, Payload: { KV } })
  t.deepEqual(await restore(server, archive), { status: 200, text: '' })
  const { namespaces, partitions, kv } = server.app.views
  t.truthy(namespaces.get(DEFAULT_TENANCY))
  t.truthy(partitions.get('default'))
  t.is(kv.get(DEFAULT_TENANCY, 'a')?.key, 'a')
})

test('what no server could work with is refused before anything changes', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const { index } = server.app.views
  const Session = { ID: 's', Node: 'server-1', TTL: 'soon', Behavior: 'release', LockDelay: 0 }
  const event = { ...EVENT, Topic: 'Session', Type: 'SessionCreated', Key: 's', Payload: { Session } }
  const { status, text } = await restore(server, await archiveWith(event))
  t.is(status, 400)
  t.is(
    text,
    'the snapshot cannot be replayed: commit 1: SessionCreated of s is not possible while it is absent'
  )
  t.is(server.app.views.index, index)
})

test('a restored token is removed when it expires, also one that was updated before', async t => {
  const from = await serverInProcess(t, { log: 'disk' })
  const { AccessorID } = await createToken(from, { ExpirationTTL: '1h' })
  await from.send('PUT', `/v1/acl/token/${AccessorID}`, { body: { Description: 'updated' } })
  const into = await serverInProcess(t, { log: 'disk' })
  t.is((await restore(into, await save(from))).status, 200)
  t.truthy(into.app.views.tokens.get(AccessorID))
  into.advance(2 * 60 * 60 * 1000)
  await until('its removal', () => into.app.views.tokens.get(AccessorID) === undefined)
})

test('a disk that rejects the name of a verified archive is unavailable, and the state stays', async t => {
  const from = await serverInProcess(t)
  const archive = await save(from, '?state')
  const into = await usedServer(t)
  // A restore waits for the start of the server, which deletes old archives.
  t.is((await restore(into, archive)).status, 200)
  const kept = join(into.settings.data_dir, 'restore.tgz')
  // A folder with content has the name.
  mkdirSync(join(kept, 'content'), { recursive: true })
  const { index } = into.app.views
  const refused = await restore(into, archive)
  t.is(refused.status, 503, refused.text)
  t.regex(refused.text, /The snapshot cannot be stored: (EISDIR|ENOTEMPTY)/)
  t.is(into.app.views.index, index)
  // The refused restore has removed it.
  t.is((await restore(into, archive)).status, 200)
})
