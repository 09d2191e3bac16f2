import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { serverInProcess } from '../../../support/server.js'

const MINUTE = 60_000

test('commits are counted by the interval in which they were made', async t => {
  const server = await serverInProcess(t, {
    log: new MemoryEventLog(),
    clock: new SetClock({ runs: false })
  })
  server.advance(60 * MINUTE)
  let written = 0
  const write = () => server.send('PUT', '/v1/kv/a', { body: String(written++) })
  for (let n = 0; n < 3; n++) await write()
  server.advance(MINUTE)
  await write()
  server.advance(2 * MINUTE)
  await write()
  await write()
  const { status, text } = await server.send('GET', '/v1/event/rate?since=4m&intervals=4')
  t.is(status, 200)
  t.deepEqual(JSON.parse(text).Counts, [0, 3, 1, 2])
  const all = JSON.parse((await server.send('GET', '/v1/event/rate?since=48h&intervals=1')).text)
  t.deepEqual(all.Counts, [server.app.views.index])
})

test('a bad parameter is named with its rule, and a token is required', async t => {
  const server = await serverInProcess(t)
  for (const [query, rule] of [
    ['since=soon', /Invalid since: "soon" is neither a duration/],
    ['since=-1h', /Invalid since/],
    ['intervals=0', /Invalid intervals: "0" is not an integer from 1 to 120/],
    ['intervals=121', /Invalid intervals/],
    ['more=1', /more/]
  ] as const) {
    const { status, text } = await server.send('GET', `/v1/event/rate?${query}`)
    t.is(status, 400, query)
    t.regex(text, rule)
  }
  t.is((await server.send('GET', '/v1/event/rate', { token: 'nonsense' })).status, 403)
})
