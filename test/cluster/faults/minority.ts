// What a server shows that does not reach the majority.
import type { ExecutionContext } from 'ava'
import { until } from '../../support/wait.js'
import type { AnnalsServer } from '../annals-server.js'
import { contactOf } from '../cluster.js'

/**
 * It writes nothing, answers no default read, and shows with `stale` what it has, and for how long it has heard nothing.
 * @param hasLed whether it has led: while it does not know what became of its last append, it does not know what it may show
 */
export const assertMinority = async (
  t: ExecutionContext,
  server: AnnalsServer,
  hasLed: boolean
): Promise<void> => {
  await until('it knows that there is no leader', async () => !(await contactOf(server)).knowsLeader)
  const before = await contactOf(server)
  t.is((await server.send('GET', '/v1/kv/newest')).status, 503)
  const { status, text } = await server.send('PUT', '/v1/kv/alone', { body: 'x' })
  t.is(status, 503, text)
  const after = await contactOf(server)
  if (hasLed && after.status === 503) t.log(`${server.name} shows nothing while its last append is in doubt`)
  else {
    t.is(after.status, 200)
    t.false(after.knowsLeader)
    if (before.status === 200) t.true(after.lastContact > before.lastContact)
  }
}
