// Polling the other datacenters, and reporting those that do not answer.
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import { Timers } from '../../../../actors/clock.js'
import {
  POLL_INTERVAL_MS,
  DatacenterPoller
} from '../../../../server/cluster/datacenters/datacenter-poller.js'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { stillClock } from './support.js'

test('all datacenters are polled every five seconds, and a failure is reported once with its reason', async t => {
  const server = await serverInProcess(t, { clock: stillClock() })
  const timers = server.scope.resolve(Timers)
  const refused = new Refusal('datacenter.unreachable', 'unreachable')
  const broken = new Error('cannot be read')
  const reports: unknown[] = []
  const asked: string[] = []
  let failure: Error | undefined
  const turns = new DatacenterPoller(['dc2', 'dc3'], timers, {
    ask: async name => {
      asked.push(name)
      if (name === 'dc3' && failure) throw failure
    },
    onSilent: (name, why) => reports.push([name, why]),
    onBack: name => reports.push([name, 'back'])
  })
  const round = async (): Promise<void> => {
    const before = asked.length
    server.advance(POLL_INTERVAL_MS)
    await until('both were asked', () => asked.length === before + 2 && turns.pending === 0)
  }
  turns.start()
  t.is(turns.pending, 2)
  await setImmediate()
  t.is(turns.pending, 0)
  failure = refused
  await round()
  await round()
  t.deepEqual([turns.isSilent('dc2'), turns.isSilent('dc3')], [false, true])
  t.deepEqual(reports.splice(0), [['dc3', { reason: 'unreachable' }]])
  failure = undefined
  await round()
  t.false(turns.isSilent('dc3'))
  failure = broken
  await round()
  t.deepEqual(reports.splice(0), [
    ['dc3', 'back'],
    ['dc3', { err: broken }]
  ])
  t.is(asked.length, 10)
  turns.stop()
  let hasPassed = false
  timers.setTimeout(() => (hasPassed = true), POLL_INTERVAL_MS)
  server.advance(POLL_INTERVAL_MS)
  await until('the time has passed', () => hasPassed)
  t.is(asked.length, 10)
})
