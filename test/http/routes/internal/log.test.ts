// The log of a server of a cluster, as another one gets it.
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { inCluster } from '../../../../actors/ref.js'
import { ActorSystem } from '../../../../actors/system.js'
import { PeersLackCommits } from '../../../../events/log/cluster/log-follower.js'
import { SharedUnreachable } from '../../../../events/log/cluster/shared-log.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { LOG_KEY, retentionEvents } from '../../../../events/retention.js'
import { registerCluster } from '../../../../server/cluster/members/register-cluster.js'
import { HttpPeerLogs } from '../../../../server/cluster/members/peer-logs.js'
import { SignedRequests } from '../../../../server/cluster/members/signed-requests.js'
import { FORWARDED_HEADER, serverProof } from '../../../../server/cluster/members/server-proof.js'
import { collect } from '../../../events/commits.js'
import { temporaryFolder } from '../../../support/process.js'
import { command } from '../../../support/decision-spec.js'
import { memberOf } from '../../../support/log-server.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { HandMadePort, SECRET } from '../../../server/cluster/members/hand-made-port.js'

const KEY = Buffer.alloc(32, 5)
const never = new AbortController().signal

/** A server of a cluster with some keys. */
async function serverWith(
  t: ExecutionContext,
  keys: number,
  options: TestServerOptions = {}
): Promise<TestServer> {
  const server = await serverInProcess(t, {
    ...options,
    config: { encryption: { key: KEY.toString('base64') }, ...options.config },
    register: scope => registerCluster(scope, new HandMadePort('leading'))
  })
  for (let i = 0; i < keys; i++)
    t.is((await server.send('PUT', `/v1/kv/key-${i}`, { body: 'x' })).status, 200)
  return server
}

/** What another server of the cluster of `server` asks the given ones. Those without an address are not there. */
function peersOf(server: TestServer, addresses: readonly string[]): HttpPeerLogs {
  const signed = server.scope.resolve(SignedRequests)
  return new HttpPeerLogs({
    others: async () => addresses.map((address, i) => ({ ...memberOf(`server-${i}`, 10 - i), address })),
    signed: { send: (to, outgoing, signal) => signed.send(to, outgoing, signal, { id: 'another' }) }
  })
}

const NOWHERE = 'http://127.0.0.1:1'

test('another server gets the records from a commit on, as they are stored, of the first that can be reached', async t => {
  const server = await serverWith(t, 300)
  const { log } = server.app
  const peers = peersOf(server, [NOWHERE, server.base])
  const records = (await collect(peers.records(3, never))).flat()
  const stored = (await collect(log.records(3))).flat()
  t.is(records[0]?.index, 3)
  t.deepEqual(
    records.map(({ bytes }) => bytes),
    stored.map(({ bytes }) => bytes)
  )
  t.deepEqual(await collect(peers.records(log.durableIndex + 1, never)), [])
})

test('the files of a log make the same log, with the key for what is signed', async t => {
  const server = await serverWith(t, 5, { log: 'disk' })
  const folder = join(temporaryFolder(t), 'coming')
  const signingKey = Buffer.from('{"Key":"it is the one of the cluster"}')
  await peersOf(server, [server.base]).copyFiles(folder, { signingKey }, 0, never)
  const copy = await SegmentEventLog.open({ path: folder, key: KEY, readOnly: true })
  t.deepEqual(await collect(copy.read(1)), await collect(server.app.log.read(1)))
  await copy.close()
})

test('only servers of the cluster get it, and only from a commit that there can be', async t => {
  const server = await serverWith(t, 1)
  for (const path of ['/v1/internal/log?from=1', '/v1/internal/log/files']) {
    const { status, text } = await server.send('GET', path)
    t.is(status, 403)
    t.regex(text, /only servers of the cluster/)
  }
  for (const from of ['', '0', '-1', 'x', '1.5', '99999999999999999']) {
    const url = `/v1/internal/log?from=${from}`
    const proof = serverProof(SECRET, { method: 'GET', url }, { id: '', node: '', address: '' }, Date.now())
    const { status, text } = await server.send('GET', url, { headers: { [FORWARDED_HEADER]: proof } })
    t.is(status, 400)
    t.regex(text, /Invalid from/)
  }
})

test('a server alone has no such paths', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('GET', '/v1/internal/log?from=1')).status, 404)
  t.is((await server.send('GET', '/v1/internal/log/files')).status, 404)
})

test('unreachable servers and those without such old commits are distinguished', async t => {
  const server = await serverWith(t, 4)
  for (const addresses of [[], [NOWHERE]])
    await t.throwsAsync(collect(peersOf(server, addresses).records(1, never)), {
      instanceOf: SharedUnreachable,
      message: /no other server gives its log/
    })
  const data = { Index: 3, Base: 'ab'.repeat(32), LetGo: 0 }
  await server.scope
    .resolve(ActorSystem)
    .ask(inCluster(retentionEvents.topic, LOG_KEY), command('RetainLog', data))
  const peers = peersOf(server, [NOWHERE, server.base])
  await t.throwsAsync(collect(peers.records(3, never)), { instanceOf: PeersLackCommits, message: /commit 3/ })
  t.is((await collect(peers.records(4, never))).flat()[0]?.index, 4)
})
