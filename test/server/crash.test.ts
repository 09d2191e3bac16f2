// Durability of the built server: what it acknowledged survives SIGKILL. `npm run test:crash` plays more rounds.
import test from 'ava'
import { crashRounds } from '../support/crash.js'
import { keyedCrashRounds } from '../support/keyed-crash.js'

const rounds = 5

test('a killed server comes back with every acknowledged write and no half one', async t => {
  const seed = Number(process.env['ANNALS_CRASH_SEED'] ?? Date.now() % 2 ** 32)
  t.true((await crashRounds(t, rounds, seed)) > rounds)
})

test('repeating all requests after a crash executes each once, and returns the earlier responses', async t => {
  const seed = Number(process.env['ANNALS_CRASH_SEED'] ?? Date.now() % 2 ** 32)
  t.true((await keyedCrashRounds(t, 3, seed)) > 3)
})
