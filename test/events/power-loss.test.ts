// The log on a disk that loses its power: some states of many; `npm run test:powerloss` looks at more.
import test from 'ava'
import { playPowerLoss } from '../support/power-loss.js'
import { seeded } from '../support/random.js'

const states = Number(process.env['ANNALS_POWER_LOSS_STATES'] ?? 100)

for (const block of [512, 4096])
  test(`power lost at any moment, in blocks of ${block} bytes: nothing acknowledged is missing, nothing refused is there`, async t => {
    t.timeout(3_600_000)
    const seed = Number(process.env['ANNALS_POWER_LOSS_SEED'] ?? Date.now() % 2 ** 32)
    t.log(`ANNALS_POWER_LOSS_SEED=${seed}`)
    const looked = await playPowerLoss({ random: seeded(seed), states, block })
    t.log(`${looked} states`)
    t.true(looked >= states)
  })
