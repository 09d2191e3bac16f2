// What proves that a request comes from another server of the cluster.
import test from 'ava'
import { createSecretKey } from 'node:crypto'
import { FORWARDED_HEADER, serverProof } from '../../../../server/cluster/members/server-proof.js'
import type { TestServer } from '../../../support/server.js'
import { SECRET } from './hand-made-port.js'
import { pairOfServers } from './pair.js'

const FROM = { id: '5f0a', node: 'server 2.a', address: '203.0.113.9' }
const KEY = { method: 'PUT', url: '/v1/kv/a?flags=1' }
const MINUTES = 60_000

const put = (server: TestServer, proof: string, url = KEY.url) =>
  server.send('PUT', url, { body: '1', headers: { [FORWARDED_HEADER]: proof } })

test('what another server has signed is believed: who asks, and where', async t => {
  const { leader } = await pairOfServers(t)
  t.is((await put(leader, serverProof(SECRET, KEY, FROM, leader.clock.now()))).status, 200)
  const { text } = await leader.send('GET', '/v1/event/audit?topic=KV')
  t.regex(text, /"Address":"203\.0\.113\.9"/)
})

test('what is signed otherwise, for something else or long ago is refused, and nothing is done', async t => {
  const { leader } = await pairOfServers(t)
  const { index } = leader.app.views
  const now = leader.clock.now()
  const sound = serverProof(SECRET, KEY, FROM, now)
  for (const [proof, why] of [
    [serverProof(createSecretKey(Buffer.alloc(32, 8)), KEY, FROM, now), /another secret/],
    [serverProof(SECRET, { ...KEY, method: 'DELETE' }, FROM, now), /another secret/],
    [serverProof(SECRET, { ...KEY, url: '/v1/kv/b' }, FROM, now), /another secret/],
    [sound.replace('203', '204'), /another secret/],
    [serverProof(SECRET, KEY, FROM, now - 6 * MINUTES), /36\d s from now: the clocks/],
    [serverProof(SECRET, KEY, FROM, now + 6 * MINUTES), /s from now: the clocks/],
    ['', /not the form/],
    ['a.b.c.1.short', /not the form/],
    [`${sound}, ${sound}`, /not the form/]
  ] as const) {
    const { status, text } = await put(leader, proof)
    t.is(status, 403)
    t.regex(text, why)
    t.regex(text, /^X-Annals-Forwarded proves nothing/)
  }
  t.is(leader.app.views.index, index)
})
