// The long form of test/server/crash.test.ts, run by `npm run test:crash`.
import test from 'ava'
import { crashRounds } from '../support/crash.js'
import { keyedCrashRounds } from '../support/keyed-crash.js'

const rounds = Number(process.env['ANNALS_CRASH_ROUNDS'] ?? 500)

test(`a server killed ${rounds} times comes back with every acknowledged write and no half one`, async t => {
  const seed = Number(process.env['ANNALS_CRASH_SEED'] ?? Date.now() % 2 ** 32)
  const acknowledged = await crashRounds(t, rounds, seed)
  t.log(`${acknowledged} acknowledged writes, seed ${seed}`)
  t.true(acknowledged > rounds)
})

const keyedRounds = Math.ceil(rounds / 10)

test(`requests that are repeated after each of ${keyedRounds} crashes are done once`, async t => {
  const seed = Number(process.env['ANNALS_CRASH_SEED'] ?? Date.now() % 2 ** 32)
  t.log(`${await keyedCrashRounds(t, keyedRounds, seed)} requests, seed ${seed}`)
  t.pass()
})
