// The log on a disk that loses its power: some states of many; `npm run test:powerloss` looks at more.
import test, { type ExecutionContext } from 'ava'
import { playPowerLoss } from '../support/power-loss.js'
import { seeded } from '../support/random.js'
import { playRepair } from '../support/repair-power-loss.js'

const states = Number(process.env['ANNALS_POWER_LOSS_STATES'] ?? 20)

const seedOf = (t: ExecutionContext): number => {
  const seed = Number(process.env['ANNALS_POWER_LOSS_SEED'] ?? Date.now() % 2 ** 32)
  t.log(`ANNALS_POWER_LOSS_SEED=${seed}`)
  return seed
}

for (const block of [512, 4096]) {
  test(`power lost at any moment, in blocks of ${block} bytes: nothing acknowledged is missing, nothing refused is there`, async t => {
    const looked = await playPowerLoss({ random: seeded(seedOf(t)), states, block })
    t.log(`${looked} states`)
    t.true(looked >= states)
  })

  test(`power lost at any call of a repair, in blocks of ${block} bytes: the log opens or can be repaired again, and all that is kept is there`, async t => {
    const random = seeded(seedOf(t))
    let looked = 0
    while (looked < states / 2) looked += await playRepair(random, block)
    t.log(`${looked} states`)
    t.pass()
  })
}
