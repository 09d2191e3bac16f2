// Random readers with random filters, starts and disconnections, kills of the server and changes of permissions: each reader gets exactly
// the events that it may read, in order. `npm run test:stream` runs more of it.
import fc from 'fast-check'
import test from 'ava'
import { plans } from './property/plan.js'
import { play } from './property/play.js'

const runs = Number(process.env['ANNALS_STREAM_RUNS'] ?? 1)
const given = process.env['ANNALS_STREAM_SEED']

test(`readers of any kind get what the log says that they may see: ${runs} runs`, async t => {
  const seed = given === undefined ? undefined : Number(given)
  await fc.assert(
    fc.asyncProperty(plans, plan => play(t, plan)),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) }
  )
  t.pass()
})
