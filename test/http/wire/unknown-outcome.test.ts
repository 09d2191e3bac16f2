// Writes during a failure of the log, whose outcome is reported as unknown.
import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { WriteFailure } from '../../../events/log/store.js'
import { serverInProcess } from '../../support/server.js'
import { until } from '../../support/wait.js'

test('a write whose outcome is unknown is a 500 that says so; a read that would show it is a 503', async t => {
  const state = { fails: false, reading: Promise.resolve({ status: 0 }) }
  const log = new MemoryEventLog({
    beforeFlush: async () => {
      if (!state.fails) return
      state.fails = false
      state.reading = server.send('GET', '/v1/acl/tokens')
      // Nearly always long enough for the read to block.
      for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate)
      throw new WriteFailure('EIO', 'unknown')
    }
  })
  const server = await serverInProcess(t, { log })
  state.fails = true
  const written = await server.send('PUT', '/v1/acl/token', { body: { Description: 'perhaps' } })
  t.is(written.status, 500)
  t.is(written.headers['x-service-outcome'], 'unknown')
  t.regex(written.text, /outcome is not known/)
  t.not((await state.reading).status, 500)
  await until('a write succeeds', async () => {
    const { status, headers } = await server.send('PUT', '/v1/acl/token', { body: {} })
    return status === 200 && headers['x-service-outcome'] === undefined
  })
  const { text } = await server.send('GET', '/v1/acl/tokens')
  t.false(text.includes('perhaps'))
})
