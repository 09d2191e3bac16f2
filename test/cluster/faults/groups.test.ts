// Members of a consumer group, and the leader of three servers, are killed at random moments.
import test from 'ava'
import { groupKills } from '../../support/group-kills.js'
import { seeded } from '../../support/random.js'
import { ROOT } from '../../support/server.js'
import { faultTest } from './fault-test.js'

const kills = Number(process.env['ANNALS_GROUP_KILLS'] ?? 12)

test(`fault 26: ${kills} kills of members and of the leader lose no unit, and deliver none again without a reason`, async t => {
  const seed = Number(process.env['ANNALS_STREAM_SEED'] ?? Date.now() % 2 ** 32)
  t.log(`seed ${seed}`)
  await faultTest(t, {}, async cluster => {
    const ledger = await groupKills(
      {
        token: ROOT,
        bases: () => cluster.bases(),
        kill: async dead => {
          const leader = await cluster.leader()
          await leader.kill()
          dead()
          await cluster.leader(cluster.servers.filter(server => server !== leader))
          leader.start()
          await leader.ready()
        }
      },
      kills,
      seeded(seed)
    )
    t.log(`${ledger.finished} of ${ledger.written} units acknowledged, ${ledger.redeliveries} redelivered`)
    t.log(`${ledger.runs.length} runs, ${ledger.kills} kills`)
  })
})
