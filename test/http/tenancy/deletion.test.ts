// Namespace deletions that are interrupted by a crash, a failing log, or a snapshot.
import { cpSync } from 'node:fs'
import test from 'ava'
import { logFolder, viewSettings } from '../../../server/settings/settings.js'
import type { Commit } from '../../../events/envelope.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { Views } from '../../../projections/read-models.js'
import { gatedLog } from '../../support/gated-log.js'
import { temporaryFolder, type Scope } from '../../support/process.js'
import { serverInProcess, testSettings, type TestServer } from '../../support/server.js'
import { factsOf } from '../../support/state-facts.js'
import { until } from '../../support/wait.js'
import { call, fillKeys, waitUntilDeleted, makeNamespaces } from './support.js'
import { credential, METHOD } from './tenants.js'

const KEYS = 512
/** Maximum number of remaining keys at the interruption: the log holds a part of the deletion. */
const CUT_OFF = 400

/** Returns the read models from the log of a stopped server. */
const stateOf = async (t: Scope, dataDir: string): Promise<Views> => {
  const views = new Views(viewSettings(testSettings(t, { dataDir })))
  const log = await SegmentEventLog.open({ path: logFolder(dataDir), readOnly: true })
  for await (const commit of log.read(1)) views.apply(commit)
  await log.close()
  return views
}

const NODE = { Node: 'n', Address: '10.0.0.1', Service: { Service: 'web' } }

for (const { title, path, partition, namespace } of [
  { title: 'a namespace', path: '/v1/namespace/a', partition: 'default', namespace: 'a' },
  { title: 'a partition', path: '/v1/partition/p', partition: 'p', namespace: 'a' }
]) {
  test(`${title} whose removal is cut off by the death of the server is gone after the next start`, async t => {
    const folder = temporaryFolder(t)
    const [dataDir, atDeath] = [`${folder}/data`, `${folder}/at-death`]
    const first = await serverInProcess(t, { dataDir })
    await call(first, 'PUT', '/v1/partition', { Name: 'p' })
    for (const where of ['default', 'p'])
      await call(first, 'PUT', `/v1/namespace?partition=${where}`, { Name: namespace })
    await fillKeys(first, namespace, KEYS, partition)
    await call(first, 'PUT', `/v1/catalog/register?partition=${partition}&ns=${namespace}`, NODE)
    await call(first, 'PUT', '/v1/kv/kept', 'v')
    const died = new Promise<void>(resolve => {
      const die = (): void => {
        if (first.app.views.kv.sizeUnder({ partition, namespace }, '') > CUT_OFF) return
        first.app.committer.signals.off('applied', die)
        // Its files are what a death at this moment leaves.
        cpSync(dataDir, atDeath, { recursive: true })
        resolve()
      }
      first.app.committer.signals.on('applied', die)
    })
    await call(first, 'DELETE', path)
    await died
    await first.close()

    const views = await stateOf(t, atDeath)
    const left = views.kv.sizeUnder({ partition, namespace }, '')
    t.true(left > 0 && left < KEYS, `${left} keys are left`)
    const marked = path.startsWith('/v1/partition')
      ? views.partitions.get('p')
      : views.namespaces.get({ partition, namespace })
    t.true(marked?.isEnding)

    const second = await serverInProcess(t, { dataDir: atDeath })
    await waitUntilDeleted(second, path)
    await call(second, 'GET', '/v1/kv/kept')
    await second.close()
    const state = factsOf(await stateOf(t, atDeath))
    const name = path.startsWith('/v1/partition') ? 'p' : 'a'
    const isThere = JSON.stringify(state).includes(`"${name}"`)
    // The namespace of this name in the other partition stays.
    t.is(isThere, name === 'a')
  })
}

const leftIn = (server: TestServer, namespace: string): number =>
  server.app.views.kv.sizeUnder({ partition: 'default', namespace }, '')

test('a deletion continues from the log when the log is writable again', async t => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  await makeNamespaces(server, 'a')
  await fillKeys(server, 'a', 2000)
  let isHeld = false
  const hold = (): void => {
    // An earlier flush must contain a part of the deletion.
    if (isHeld || leftIn(server, 'a') >= 1900) return
    isHeld = true
    gate.hold()
  }
  server.app.committer.signals.on('applied', hold)
  await call(server, 'DELETE', '/v1/namespace/a')
  const rebuilt = new Promise<void>(resolve => server.app.committer.signals.once('rebuilt', resolve))
  await until('a flush waits', () => isHeld && server.app.views.index > gate.log.durableIndex)
  server.app.committer.signals.off('applied', hold)
  gate.fail()
  await rebuilt
  t.true(leftIn(server, 'a') > 0 && leftIn(server, 'a') < 2000)
  gate.heal()
  await waitUntilDeleted(server, '/v1/namespace/a')
  t.is(leftIn(server, 'a'), 0)
})

test('what is being removed is refused to writers and shown to readers until it is gone', async t => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  await makeNamespaces(server, 'a')
  await fillKeys(server, 'a', 500)
  const hold = (): void => {
    if (leftIn(server, 'a') < 500) gate.hold()
  }
  server.app.committer.signals.on('applied', hold)
  await call(server, 'DELETE', '/v1/namespace/a')
  await until('a flush waits', () => server.app.views.index > gate.log.durableIndex)
  const before = server.app.views.index
  const asked = [
    ['PUT', '/v1/kv/k/499?ns=a', 'v', 409],
    ['PUT', '/v1/acl/token?ns=a', {}, 409],
    ['PUT', '/v1/acl/policy?ns=a', { Name: 'p' }, 409],
    ['PUT', '/v1/config?ns=a', { Kind: 'service-defaults', Name: 'web' }, 409],
    ['PUT', '/v1/session/create?ns=a', { Node: 'server-1', Checks: [] }, 409],
    ['PUT', '/v1/agent/service/register?ns=a', { Name: 'web' }, 409],
    ['PUT', '/v1/agent/check/register?ns=a', { Name: 'c', TTL: '1m' }, 409],
    ['PUT', '/v1/catalog/register?ns=a', NODE, 409],
    ['PUT', '/v1/catalog/register', { ...NODE, Service: { Service: 'web', Namespace: 'a' } }, 409],
    ['PUT', '/v1/catalog/register', { ...NODE, Check: { Name: 'c', Namespace: 'a' } }, 409],
    ['PUT', '/v1/namespace/a', {}, 409],
    ['PUT', '/v1/txn', [{ KV: { Verb: 'set', Key: 'k', Value: 'dg==', Namespace: 'a' } }], 409],
    ['PUT', '/v1/txn', [{ KV: { Verb: 'delete', Key: 'none', Namespace: 'a' } }], 200],
    ['PUT', '/v1/catalog/deregister?ns=a', { Node: 'none' }, 200],
    ['DELETE', '/v1/namespace/a', undefined, 200],
    ['DELETE', '/v1/kv/none?ns=a', undefined, 200],
    ['GET', '/v1/kv/?keys&ns=a', undefined, 200],
    ['GET', '/v1/namespace/a', undefined, 200]
  ] as const
  const sent = asked.map(([method, path, body]) => server.send(method, path, { body }))
  const answers = Promise.all(sent)
  // This request is answered after all others have been decided.
  await fetch(`${server.base}/v1/nothing`)
  t.is(server.app.views.index, before)
  server.app.committer.signals.off('applied', hold)
  gate.release()
  for (const [i, { status, text }] of (await answers).entries()) {
    const [method, path, , expected] = asked[i] ?? []
    t.is(status, expected ?? 0, `${method} ${path}: ${text}`)
  }
  await waitUntilDeleted(server, '/v1/namespace/a')
})

test('a name that is created and deleted again while its deletion becomes durable is deleted again', async t => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  t.teardown(() => gate.release())
  await makeNamespaces(server, 'a')
  const hold = ({ By }: Commit): void => {
    if (By.Command === 'RemoveNamespace') gate.hold()
  }
  server.app.committer.signals.on('applied', hold)
  const isThere = () =>
    server.app.views.namespaces.get({ partition: 'default', namespace: 'a' }) !== undefined
  await call(server, 'DELETE', '/v1/namespace/a')
  await until('it is removed, but not durably', () => !isThere())
  const again = server.send('PUT', '/v1/namespace/a', { body: {} })
  await until('it is created again', isThere)
  const second = server.send('DELETE', '/v1/namespace/a')
  const { index } = server.app.views
  await until('it is marked again', () => server.app.views.index > index)
  server.app.committer.signals.off('applied', hold)
  gate.release()
  for (const answer of [again, second]) t.is((await answer).status, 200)
  await waitUntilDeleted(server, '/v1/namespace/a')
})

test('with an auth method go the tokens that its logins made, wherever they are, one by one', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/namespace?partition=p', { Name: 'team' })
  const put = (path: string, body: object) => call(server, 'PUT', `${path}?partition=p`, body)
  await put('/v1/acl/auth-method', { ...METHOD, NamespaceRules: [{ Selector: '', BindNamespace: 'team' }] })
  await put('/v1/acl/binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web' })
  const body = { AuthMethod: 'm', BearerToken: await credential() }
  for (let i = 0; i < 3; i++) await call(server, 'POST', '/v1/acl/login?partition=p', body)
  t.is((await call(server, 'GET', '/v1/acl/tokens?partition=p&ns=team')).length, 3)
  const deleted: number[] = []
  server.app.committer.signals.on('applied', ({ Events }) => {
    const { length } = Events.filter(event => event.Type === 'ACLTokenDeleted')
    if (length > 0) deleted.push(length)
  })
  await call(server, 'DELETE', '/v1/partition/p')
  await waitUntilDeleted(server, '/v1/partition/p')
  t.deepEqual(deleted, [1, 1, 1])
})
