// Servers that are behind the shared log, and pruning and erasure in their logs.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { EVENT_LOG, SETTINGS } from '../../../../server/settings/ports.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { collect } from '../../../events/commits.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'

const folderOf = ({ running }: ClusterServer): string => logFolder(running.scope.resolve(SETTINGS).data_dir)

const bytesOf = async ({ running }: ClusterServer): Promise<Buffer> =>
  Buffer.concat((await collect(running.scope.resolve(EVENT_LOG).records(1))).flat().map(({ bytes }) => bytes))

/** Writes some keys, which are then not shared any more. */
async function writeUnshared(cluster: TestCluster, server: ClusterServer, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await server.send('PUT', `/v1/kv/key-${i}`, { body: 'value' })
  cluster.memory.compact(cluster.memory.head.index)
}

/** Whether a file of the log holds a text, as the values of keys are stored. */
const holds = (folder: string, text: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .some(entry =>
      readFileSync(join(entry.parentPath, entry.name)).includes(Buffer.from(text).toString('base64'))
    )

const isErased = async (server: ClusterServer): Promise<boolean> => {
  const { status, text } = await server.send('GET', '/v1/event/erasures?stale')
  // A server that has just started may know no leader yet.
  if (status !== 200) return false
  const orders: readonly { readonly State: string }[] = JSON.parse(text)
  return orders.length > 0 && orders.every(({ State }) => State === 'done')
}

/** Two versions of a key, of which the older one is erased from the servers that are there. */
async function eraseOlder(cluster: TestCluster, servers: readonly ClusterServer[]): Promise<void> {
  const [leader] = servers
  for (const body of ['an older version', 'the newest version'])
    await leader?.send('PUT', '/v1/kv/a', { body })
  await cluster.settled()
  await leader?.send('POST', '/v1/event/erase', {
    body: JSON.stringify({ Topic: 'KV', Key: 'a', Scope: 'history', Reason: 'test' })
  })
  for (const server of servers) await cluster.until(`${server.name} has erased it`, () => isErased(server))
}

const sameOnAll = async (
  t: ExecutionContext,
  cluster: TestCluster,
  servers: readonly ClusterServer[]
): Promise<void> => {
  // The leader may still commit that it reaches a server again.
  await cluster.until('all have the same log', async () => {
    const [first, ...others] = await Promise.all(servers.map(bytesOf))
    return others.every(bytes => first?.equals(bytes))
  })
  const states = await Promise.all(servers.map(server => server.send('GET', '/v1/kv/?recurse')))
  t.is(new Set(states.map(({ text }) => text)).size, 1)
}

test('a server that was away catches up from a peer with commits that were compacted', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  if (!one || !two || !three) return t.fail()
  await three.close()
  await writeUnshared(cluster, one, 30)
  const again = await cluster.start('three')
  await cluster.settled()
  await sameOnAll(t, cluster, [one, two, again])
})

test('a new server continues from the files of a peer after the first commits were compacted', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  await writeUnshared(cluster, one, 30)
  const three = await cluster.start('three')
  await cluster.settled()
  await one.send('PUT', '/v1/kv/after', { body: 'value' })
  await cluster.settled()
  await sameOnAll(t, cluster, [one, two, three])
  t.deepEqual(readFileSync(join(folderOf(three), 'keys')), readFileSync(join(folderOf(one), 'keys')))
})

test('what is erased goes from all servers, also from one that was away, and all have the same base', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  if (!one || !two || !three) return t.fail()
  await three.close()
  await eraseOlder(cluster, [one, two])
  await writeUnshared(cluster, one, 3)
  const again = await cluster.start('three')
  await cluster.settled()
  await cluster.until('it has erased it as well', () => isErased(again))
  for (const server of [one, two, again]) {
    t.false(holds(folderOf(server), 'an older version'))
    t.true(holds(folderOf(server), 'the newest version'))
  }
  await sameOnAll(t, cluster, [one, two, again])
  const bases = [one, two, again].map(server => readdirSync(join(folderOf(server), 'base')))
  for (const names of bases) t.deepEqual(names, bases[0])
})

test('a server without the base that the log tells of starts, and gets it from another one', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  await eraseOlder(cluster, [one, two])
  const bases = join(folderOf(two), 'base')
  const names = readdirSync(bases)
  await two.close()
  rmSync(bases, { recursive: true })
  const again = await cluster.start('two')
  await cluster.until(
    'it has the base',
    () => existsSync(bases) && readdirSync(bases).join() === names.join()
  )
  await cluster.settled()
  await sameOnAll(t, cluster, [one, again])
})
