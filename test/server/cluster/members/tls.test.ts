// Servers that reach each other with TLS.
import test from 'ava'
import { until } from '../../../support/wait.js'
import { pairOfServers } from './pair.js'
import { SERVER_FILES, tlsFile } from '../../../http/wire/tls/support.js'

const OVER_TLS = { ports: { http: 0, https: 0, dns: -1 }, tls: { http: SERVER_FILES } }

test('a follower sends what only the leader may answer over TLS, and believes who has a certificate that it trusts', async t => {
  const pair = await pairOfServers(
    t,
    { config: OVER_TLS },
    { config: { tls: { outgoing: { ca_file: tlsFile('ca.pem') } } } }
  )
  const { leader, follower, ofFollower } = pair
  const secure = `https://localhost:${leader.httpsPort}`
  ofFollower.change('following', { id: leader.settings.node_id, address: secure })
  t.is((await follower.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  t.is((await follower.send('PUT', '/v1/kv/b', { body: '1' })).status, 200)
  t.is((await leader.send('GET', '/v1/kv/b?raw')).text, '1')
})

test('one that it does not trust is sent nothing', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t, { config: OVER_TLS }, {})
  const secure = `https://localhost:${leader.httpsPort}`
  ofFollower.change('following', { id: leader.settings.node_id, address: secure })
  const put = follower.send('PUT', '/v1/kv/a', { body: '1' })
  await until('it waits', () => ofFollower.listeners > 0)
  follower.advance(600_001)
  const { status, text } = await put
  t.is(status, 503)
  t.regex(text, /^No cluster leader: nothing was changed/)
})
