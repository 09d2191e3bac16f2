// Servers that are stopped while another datacenter cannot be reached.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { PRIMARY } from '../datacenters.js'
import { datacenterFaultTest } from './fault-test.js'

for (const cut of [500, 5000])
  test(`a datacenter is cut off for ${cut} ms: the others stop on request`, async t => {
    await datacenterFaultTest(t, {}, async made => {
      made.cutOff('dc2')
      await pause(cut)
      for (const name of [PRIMARY, 'dc3', 'dc2']) {
        const began = performance.now()
        await made.at(name).server.stop()
        t.log(`${name} ended after ${Math.round(performance.now() - began)} ms`)
      }
      t.pass()
    })
  })
