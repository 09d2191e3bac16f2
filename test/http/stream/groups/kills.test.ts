// Members of a consumer group, and the built server, are killed at random moments. `npm run test:stream` plays more kills, and
// test/cluster/faults/groups.test.ts those of a leader.
import test from 'ava'
import { groupKills } from '../../../support/group-kills.js'
import { startServer, temporaryFolder } from '../../../support/process.js'
import { seeded } from '../../../support/random.js'
import { ROOT } from '../../../support/server.js'

const kills = Number(process.env['ANNALS_GROUP_KILLS'] ?? 3)

test(`${kills} kills of members and of the server lose no unit, and deliver none again without a reason`, async t => {
  const seed = Number(process.env['ANNALS_STREAM_SEED'] ?? Date.now() % 2 ** 32)
  t.log(`seed ${seed}`)
  const options = { dataDir: temporaryFolder(t), initialManagement: ROOT }
  let server = await startServer(t, options)
  const ledger = await groupKills(
    {
      token: ROOT,
      bases: () => [server.base],
      kill: async dead => {
        await server.kill()
        dead()
        server = await startServer(t, options)
      }
    },
    kills,
    seeded(seed)
  )
  t.log(`${ledger.finished} of ${ledger.written} units acknowledged, ${ledger.redeliveries} redelivered`)
  t.true(ledger.runs.length <= ledger.kills + 1, 'a run of the group ends only with its server')
  await server.stop()
})
