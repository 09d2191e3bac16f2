import { cpSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const write = async (server: TestServer, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await server.send('PUT', `/v1/kv/${key}`, { body: key })
}
const checkpointOf = async (server: TestServer): Promise<string> =>
  (await server.send('GET', '/v1/event/checkpoint')).text
const keyOf = async (server: TestServer): Promise<string> =>
  (await server.send('GET', '/v1/event/checkpoint/key')).text.trim()
const sizeOf = async (server: TestServer): Promise<number> =>
  Number((await checkpointOf(server)).split('\n')[1])

/** Resolves when the newest checkpoint has all commits. */
const checkpointed = async (server: TestServer): Promise<void> => {
  const { committer } = server.app
  await committer.durable()
  await until('the checkpoint has all commits', async () => {
    server.advance(1000)
    return (await sizeOf(server)) === server.app.log.durableIndex
  })
}

const watch = (key: string, ...servers: readonly string[]): Promise<CommandExit> =>
  annals(['log', 'watch', '--once', '--key', key, '--servers', servers.join(',')])

/** Two servers on copies of one data folder: a log that has been forked. */
const forked = async (t: ExecutionContext): Promise<readonly [TestServer, TestServer]> => {
  const folder = temporaryFolder(t)
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  const first = await serverInProcess(t, { dataDir: one })
  await write(first, 'a', 'b')
  await first.close()
  cpSync(one, other, { recursive: true })
  return [await serverInProcess(t, { dataDir: one }), await serverInProcess(t, { dataDir: other })]
}

test('servers with the same commits agree, also at different sizes', async t => {
  const [one, other] = await forked(t)
  await write(one, 'c')
  await checkpointed(one)
  await checkpointed(other)
  const { code, output, errors } = await watch(await keyOf(one), one.base, other.base)
  t.is(code, 0, errors)
  t.regex(output, /2 servers agree/)
})

test('servers that signed different commits are found at the same size and at different sizes, with both checkpoints', async t => {
  const [one, other] = await forked(t)
  await write(one, 'c', 'd')
  await write(other, 'x')
  await checkpointed(one)
  await checkpointed(other)
  const key = await keyOf(one)
  for (const more of [[], ['y']]) {
    await write(other, ...more)
    await checkpointed(other)
    const { code, errors } = await watch(key, one.base, other.base)
    t.is(code, 1, errors)
    t.regex(errors, /split view/)
    t.is(errors.match(/^— /gmu)?.length, 2, 'both checkpoints are there, signed')
  }
})

test('a server with another key, or that does not answer, is not verified', async t => {
  const [one] = await forked(t)
  const stranger = await serverInProcess(t, { log: 'disk' })
  await checkpointed(one)
  await write(stranger, 'a')
  await checkpointed(stranger)
  const key = await keyOf(one)
  const foreign = await watch(key, one.base, stranger.base)
  t.is(foreign.code, 1, foreign.errors)
  const silent = await watch(key, one.base, 'http://127.0.0.1:1')
  t.is(silent.code, 2, silent.errors)
  t.regex(silent.errors, /127\.0\.0\.1:1/)
  t.is((await annals(['log', 'watch', '--once', '--servers', one.base])).code, 2)
})
