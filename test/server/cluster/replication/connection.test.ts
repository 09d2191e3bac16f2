// Detecting a silent primary, and reconnecting.
import { PassThrough } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { Committer } from '../../../../actors/committer.js'
import { Timers } from '../../../../actors/clock.js'
import { ReplicationConnection } from '../../../../server/cluster/replication/replication-connection.js'
import { decryptedLines } from '../../../../server/cluster/replication/follower.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { serverInProcess } from '../../../support/server.js'

interface Made {
  readonly connection: ReplicationConnection
  readonly answer: PassThrough
  /** Lets time pass; resolves when everything that is then due was done. */
  readonly pass: (ms: number) => Promise<void>
  /** The lines that the next chunk has ended. */
  readonly next: () => Promise<readonly string[]>
}

const connected = async (t: ExecutionContext): Promise<Made> => {
  const server = await serverInProcess(t, { clock: new SetClock({ runs: false }) })
  const outer = new AbortController()
  const timers = server.scope.resolve(Timers)
  const pass = (ms: number): Promise<void> => {
    server.advance(ms)
    // What is due is done in its order.
    return new Promise(resolve => timers.setTimeout(resolve, 0))
  }
  const connection = new ReplicationConnection(timers, server.scope.resolve(Committer), outer.signal)
  t.teardown(() => connection.close())
  const answer = new PassThrough()
  const lines = connection.listen(decryptedLines(answer, line => line))
  const next = async (): Promise<readonly string[]> => {
    const { value } = await lines.next()
    return Array.isArray(value) ? value : []
  }
  return { connection, answer, pass, next }
}

test('a long line that comes slowly is no silence', async t => {
  const { connection, answer, pass, next } = await connected(t)
  for (const part of ['one ', 'long ', 'line ']) {
    const taken = next()
    await pass(2000)
    answer.write(part)
    t.deepEqual(await taken, [])
  }
  const taken = next()
  await pass(2000)
  answer.write('ends\n')
  t.deepEqual(await taken, ['one long line ends'])
  t.false(connection.signal.aborted)
})

test('what is taken may take long, and the wait for the next begins after it', async t => {
  const { connection, answer, pass, next } = await connected(t)
  answer.write('first\n')
  t.deepEqual(await next(), ['first'])
  await pass(60_000)
  t.false(connection.signal.aborted)
  void next()
  await pass(2000)
  t.false(connection.signal.aborted)
  await pass(1000)
  t.true(connection.wasSilent)
})

test('it ends after a while if a complete transfer is necessary, even with traffic', async t => {
  const { connection, answer, pass, next } = await connected(t)
  for (let second = 0; second < 30; second++) {
    t.false(connection.signal.aborted)
    connection.endLater()
    const taken = next()
    answer.write('heard\n')
    await taken
    await pass(1000)
  }
  t.true(connection.signal.aborted)
  t.false(connection.wasSilent)
})
