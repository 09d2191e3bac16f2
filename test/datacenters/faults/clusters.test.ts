// Datacenters of which one is a cluster of three servers over etcd: its leader is killed, its etcd stands still, its link is cut.
import test from 'ava'
import { missing } from '../../support/programs.js'
import { loopbackDatacenters, startAll } from '../datacenters.js'
import { logging, whileWritten } from './fault-test.js'

for (const name of ['dc1', 'dc2'])
  test(`${name} is a cluster, and loses its leader`, async t => {
    if (await missing(t, 'etcd')) return
    const made = await loopbackDatacenters(t, { clusters: [name] })
    await logging(t, made, async () => {
      await startAll(made)
      const { cluster } = made.at(name)
      if (!cluster) return t.fail()
      await whileWritten(t, made, async writers => {
        for (let round = 0; round < 3; round++) {
          const leader = await cluster.leader()
          await leader.kill()
          await writers.acknowledges(20)
          leader.start()
          await leader.ready()
          made.cutOff(name)
          await writers.acknowledges(5)
          made.reconnect(name)
          await writers.acknowledges(20)
        }
        await cluster.settled()
      })
    })
  })
