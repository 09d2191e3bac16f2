// The npm package `consul`, a client that was written for somebody else's server, drives this one.
import Consul from 'consul'
import test from 'ava'
import { consulPlays } from '../support/consul-plays.js'
import { ROOT, serverInProcess } from '../support/server.js'

for (const [title, play] of Object.entries(consulPlays))
  test(title, async t => {
    const { port } = await serverInProcess(t, { config: { compat: true } })
    await play(t, new Consul({ host: '127.0.0.1', port, defaults: { token: ROOT } }))
  })
