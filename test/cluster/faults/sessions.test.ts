// Deadlines and long-lived requests over a change of leader.
import test from 'ava'
import { until } from '../../support/wait.js'
import { others, faultTest } from './fault-test.js'

const COUNT = 200
/** The shortest that there is. */
const TTL = 10_000

test(`fault 19: ${COUNT} sessions with a TTL live over a change of leader`, async t => {
  await faultTest(t, { workload: { clients: 2, rest: 20 } }, async (cluster, work) => {
    const leader = await cluster.leader()
    const [server] = others(cluster, leader)
    if (!server) return t.fail()
    const ids = await Promise.all(
      Array.from({ length: COUNT }, async () => {
        const { text } = await server.send('PUT', '/v1/session/create', {
          body: { TTL: '10s', NodeChecks: [] }
        })
        const { ID }: { readonly ID: string } = JSON.parse(text)
        return ID
      })
    )
    const created = performance.now()
    await leader.kill()
    await cluster.leader(others(cluster, leader))
    const failover = performance.now() - created
    await work.acknowledges(50)
    let earliest = Infinity
    let latest = 0
    await until('every session has ended', async () => {
      const { status, text } = await server.send('GET', '/v1/session/list')
      if (status !== 200) return false
      const list: readonly { readonly ID: string }[] = JSON.parse(text)
      const left = new Set(list.map(({ ID }) => ID))
      const now = performance.now() - created
      if (ids.some(id => !left.has(id))) earliest = Math.min(earliest, now)
      latest = now
      return ids.every(id => !left.has(id))
    })
    t.true(earliest >= TTL, `the first ended after ${earliest} ms`)
    t.log(
      `ended ${Math.round(earliest)} to ${Math.round(latest)} ms after their creation, failover ${Math.round(failover)} ms`
    )
    t.true(latest <= 2 * TTL + failover + 5000, `the last ended after ${latest} ms`)
    leader.start()
    await leader.ready()
  })
})

test('fault 21: a namespace is deleted and the ACL system bootstrapped during a change of leader', async t => {
  // Without a configured management token, so that the bootstrap is open.
  await faultTest(t, {}, async (cluster, work) => {
    const leader = await cluster.leader()
    const [server] = others(cluster, leader)
    if (!server) return t.fail()
    // On a busy machine the leader may change earlier, so an unknown outcome is requested again.
    const asked = async (
      method: string,
      path: string,
      body: unknown,
      statuses: readonly number[]
    ): Promise<void> => {
      await until(`${method} ${path} is answered`, async () => {
        const { status, text, headers } = await server.send(method, path, { body })
        if (status !== 503 && headers['x-service-outcome'] !== 'unknown')
          t.true(statuses.includes(status), `${status} ${text}`)
        return statuses.includes(status)
      })
    }
    await asked('PUT', '/v1/namespace', { Name: 'going' }, [200])
    const policies = Array.from({ length: 500 }, (_, at) => `of-${at}`)
    await Promise.all(
      policies.map(Name => server.send('PUT', '/v1/acl/policy?ns=going', { body: { Name, Rules: '' } }))
    )
    await asked('DELETE', '/v1/namespace/going', undefined, [200, 404])
    const bootstraps = Promise.all(
      cluster.servers.map(one =>
        one.send('PUT', '/v1/acl/bootstrap', { timeout: 30_000 }).catch(() => undefined)
      )
    )
    await leader.kill()
    await cluster.leader(others(cluster, leader))
    const statuses = (await bootstraps).map(answer => answer?.status)
    t.true(statuses.filter(status => status === 200).length <= 1, statuses.join())
    await until('the namespace is gone', async () => {
      const { status } = await server.send('GET', '/v1/namespace/going')
      return status === 404
    })
    await work.acknowledges(50)
    const again = await Promise.all(others(cluster, leader).map(one => one.send('PUT', '/v1/acl/bootstrap')))
    t.true(again.filter(({ status }) => status === 200).length <= 1)
    leader.start()
    await leader.ready()
  })
})
