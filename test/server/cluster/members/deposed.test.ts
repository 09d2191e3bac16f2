// A leader that was deposed while it was writing: what it had decided was refuted, and its read models are rebuilt.
import test from 'ava'
import { SERVER } from '../../../../actors/aggregate.js'
import { Committer } from '../../../../actors/committer.js'
import { inNamespace } from '../../../../actors/ref.js'
import { ActorSystem } from '../../../../actors/system.js'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { KV_TOPIC } from '../../../../events/kv.js'
import { EVENT_LOG } from '../../../../server/settings/ports.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'
import { until } from '../../../support/wait.js'

const COMMITS = 2000

const writeKeys = async ({ running: { scope } }: ClusterServer): Promise<void> => {
  const [system, committer] = [scope.resolve(ActorSystem), scope.resolve(Committer)]
  for (let i = 0; i < COMMITS; i++) {
    const key = `key-${i % 1000}`
    const data = { key, value: Buffer.from(`value ${i}`).toString('base64'), flags: '0' }
    const command = { name: 'SetKey', tenancy: DEFAULT_TENANCY, caller: SERVER, at: 1, data } as const
    system.send(inNamespace(KV_TOPIC, DEFAULT_TENANCY, key), command)
    if (i % 1000 === 999) await committer.durable()
  }
}

const newestSnapshot = async (server: ClusterServer): Promise<number | undefined> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  return Number(/^annals_snapshot_index (\d+)$/m.exec(text)?.[1] ?? 0) || undefined
}

/** Records from which index on the log is replayed. */
const recordReplays = ({ running: { scope } }: ClusterServer): readonly number[] => {
  const log = scope.resolve(EVENT_LOG)
  const read = log.pages.bind(log)
  const replays: number[] = []
  Object.defineProperty(log, 'pages', {
    value: (from: number) => {
      replays.push(from)
      return read(from)
    }
  })
  return replays
}

test('a deposed leader starts from its newest snapshot and serves what the next leader decided', async t => {
  const cluster = new TestCluster(t, {}, { snapshot: { commits: 1000 } })
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  await writeKeys(one)
  await cluster.settled()
  const snapshot = await until('a snapshot is written', () => newestSnapshot(one))
  t.true(snapshot >= 1000, `the snapshot is of commit ${snapshot}`)
  const replays = recordReplays(one)
  one.shared.cut()
  const refuted = one.send('PUT', '/v1/kv/refuted', { body: '1' })
  await cluster.until('another one leads', () => two.role() === 'leading')
  t.is((await two.send('PUT', '/v1/kv/key-0', { body: 'decided by the next' })).status, 200)
  one.shared.heal()
  t.is((await refuted).status, 503)
  await cluster.settled()
  t.true(replays.includes(snapshot + 1), `replayed from ${replays.join(', ')}`)
  t.false(replays.includes(1))
  t.is((await one.send('GET', '/v1/kv/key-0?raw&stale')).text, 'decided by the next')
  t.is((await one.send('GET', '/v1/kv/key-1?raw&stale')).text, `value ${COMMITS - 999}`)
  t.is((await one.send('GET', '/v1/kv/refuted?stale')).status, 404)
})
