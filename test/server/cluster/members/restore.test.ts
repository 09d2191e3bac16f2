// The restore of a snapshot while its leader is lost, at each of its steps.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { EVENT_LOG, SETTINGS } from '../../../../server/settings/ports.js'
import { isSnapshotEvent } from '../../../../events/snapshot.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'
import { sampleOf } from '../../../support/property-runs.js'
import { ROOT } from '../../../support/server.js'

const KEYS = 250
/** The appends of the leader: the beginning (1), three pieces, the end (5). The last restore of the test must be complete. */
const APPENDS = [1, ...sampleOf([4, 2, 3, 5])]

const baseOf = ({ running }: ClusterServer): string => `http://127.0.0.1:${running.port}`

const archiveIn = ({ running }: ClusterServer): string =>
  join(running.scope.resolve(SETTINGS).data_dir, 'restore.tgz')

const save = async (server: ClusterServer): Promise<Blob> => {
  const answer = await fetch(`${baseOf(server)}/v1/snapshot?state`, { headers: { 'X-Service-Token': ROOT } })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.blob()
}

const restore = async (server: ClusterServer, body: Blob): Promise<number> => {
  const headers = { 'X-Service-Token': ROOT }
  return (await fetch(`${baseOf(server)}/v1/snapshot`, { method: 'PUT', headers, body })).status
}

const keysAt = async (server: ClusterServer): Promise<number> => {
  const { status, text } = await server.send('GET', '/v1/kv/k?keys')
  return status === 404 ? 0 : JSON.parse(text).length
}

/** What became of all restores, in their order. */
const endings = async ({ running }: ClusterServer): Promise<readonly boolean[]> => {
  const all: boolean[] = []
  for await (const { Events } of running.scope.resolve(EVENT_LOG).read(1))
    for (const event of Events)
      if (isSnapshotEvent(event) && event.Type === 'SnapshotRestoreEnded')
        all.push(event.Payload.Restore.Complete)
  return all
}

const filled = async (t: ExecutionContext) => {
  const cluster = new TestCluster(t)
  const servers = await cluster.startAll('one', 'two', 'three')
  const [one] = servers
  if (!one) throw new Error('there is no server')
  await cluster.until('all are known', async () => {
    const { text } = await one.send('GET', '/v1/status/peers')
    return JSON.parse(text).length === servers.length
  })
  for (let at = 0; at < KEYS; at += 50) {
    const body = Array.from({ length: 50 }, (_, i) => ({
      KV: { Verb: 'set', Key: `k/${at + i}`, Value: 'dg==' }
    }))
    t.is((await one.send('PUT', '/v1/txn', { body })).status, 200)
  }
  return { cluster, servers, archive: await save(one) }
}

test('a restore whose leader is lost at any step is made whole by the next one, or nothing of it is there', async t => {
  const { cluster, servers, archive } = await filled(t)
  const expected: boolean[] = []
  for (const lostAt of APPENDS) {
    const leader = await cluster.leader()
    await cluster.settled()
    t.is((await leader.send('DELETE', '/v1/kv/k?recurse')).status, 200)
    const append = leader.shared.append.bind(leader.shared)
    let appends = 0
    leader.shared.append = (...given) => {
      if (++appends === lostAt) {
        leader.shared.cut()
        rmSync(archiveIn(leader))
      }
      return append(...given)
    }
    const restoring = restore(leader, archive)
    const others = servers.filter(server => server !== leader)
    const next = await cluster.until('another one leads', () =>
      others.find(server => server.role() === 'leading')
    )
    if (lostAt > 1) {
      expected.push(true)
      await cluster.until(
        `it is complete (lost at ${lostAt})`,
        async () => (await endings(next)).length === expected.length
      )
    }
    t.deepEqual(await endings(next), expected)
    t.is(await keysAt(next), lostAt > 1 ? KEYS : 0, `lost at ${lostAt}`)
    leader.shared.append = append
    leader.shared.heal()
    t.true([500, 503].includes(await restoring))
    await cluster.settled()
    for (const server of servers) t.is(await keysAt(server), lostAt > 1 ? KEYS : 0)
  }
  await cluster.until('no archive is left', () => !servers.some(server => existsSync(archiveIn(server))))
})
