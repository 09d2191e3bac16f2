// Responses to clients, and their delay, while another datacenter is unavailable.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { NAMES, PRIMARY } from '../datacenters.js'
import { timedRequestsOf, assertInTime, prepare } from '../requests.js'
import { datacenterFaultTest } from './fault-test.js'

for (const gone of NAMES.slice(0, 2)) {
  const asked = gone === PRIMARY ? 'dc2' : PRIMARY
  test(`${gone} is cut off: ${asked} answers in time`, async t => {
    await datacenterFaultTest(t, {}, async made => {
      await prepare(made)
      // Once with connections that were there before, and once when those were given up.
      made.cutOff(gone)
      for (let round = 0; round < 2; round++) await assertInTime(t, made, timedRequestsOf({ asked, gone }))
      made.reconnect(gone)
      await made.at(gone).server.ready()
    })
  })

  test(`${gone} stands still: ${asked} answers in time`, async t => {
    await datacenterFaultTest(t, {}, async made => {
      await prepare(made)
      const { server } = made.at(gone)
      server.signal('SIGSTOP')
      await assertInTime(t, made, timedRequestsOf({ asked, gone }))
      server.signal('SIGCONT')
      await server.ready()
    })
  })

  test(`${gone} is killed during a request: ${asked} answers in time`, async t => {
    await datacenterFaultTest(t, {}, async made => {
      await prepare(made)
      const blocking = timedRequestsOf({ asked, gone }).filter(({ what }) => what === 'a blocking read')
      const waiting = assertInTime(t, made, blocking)
      // Until it waits there.
      await pause(500)
      await made.at(gone).server.kill()
      await waiting
      await assertInTime(t, made, timedRequestsOf({ asked, gone }))
    })
  })
}
