import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { fromBase64 } from '../../../../events/log/evidence/base64.js'
import { isConsistent } from '../../../../events/log/evidence/merkle.js'
import { parseVkey } from '../../../../events/log/evidence/note-keys.js'
import { openCheckpoint } from '../../../../events/log/evidence/signed-checkpoint.js'
import { watchServers } from '../../../../server/commands/evidence/watch-servers.js'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { startHttpProxy } from '../../../support/http-proxy.js'
import { freePort, temporaryFolder } from '../../../support/process.js'
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

/** A server as one that signs only its newest checkpoint, as a replica does, and proves nothing but by its tiles. */
const tilesOnly = (t: ExecutionContext, { base }: TestServer): Promise<string> =>
  startHttpProxy(t, base, (url, response) => {
    if (!/size=|proof/u.test(url)) return false
    response.writeHead(404).end()
    return true
  })

test('a larger tree is compared by its tiles, and what is printed proves the split view', async t => {
  const [one, other] = await forked(t)
  await write(other, 'w')
  await checkpointed(one)
  await checkpointed(other)
  const [key, larger] = [await keyOf(one), await tilesOnly(t, other)]
  const agreed = await watch(key, one.base, larger)
  t.is(agreed.code, 0, agreed.errors)
  t.regex(agreed.output, /2 servers agree/)

  await write(one, 'c')
  await checkpointed(one)
  await write(other, 'x', 'y')
  await checkpointed(other)
  const { code, errors } = await watch(key, one.base, larger)
  t.is(code, 1, errors)
  const [older, newer] = [...errors.matchAll(/^annals\/\S+\n\d+\n\S+\n\n— .*\n/gmu)].map(
    ([note]) => openCheckpoint(Buffer.from(note), { log: [parseVkey(key)] }).head
  )
  const [, root = '', hashes = ''] = /to (\S+) at \d+ commits, which .*:\n([^]*)\n$/u.exec(errors) ?? []
  const shown = fromBase64(root)
  if (!older || !newer || !shown) return t.fail(errors)
  t.true(older.size < newer.size)
  t.notDeepEqual(shown, older.root)
  const proof = hashes.split('\n').flatMap(text => fromBase64(text) ?? [])
  t.true(isConsistent({ size: older.size, root: shown }, newer, proof))
})

test('a new incarnation is reported, and a return to an earlier tree of an origin is found', async t => {
  const folder = temporaryFolder(t)
  const [dataDir, old] = [join(folder, 'data'), join(folder, 'old')]
  const config = { ports: { http: await freePort(), dns: -1 } }
  const start = async (from: string, ...keys: readonly string[]): Promise<TestServer> => {
    const server = await serverInProcess(t, { dataDir: from, config })
    await write(server, ...keys)
    await checkpointed(server)
    return server
  }
  const first = await start(dataDir, 'a', 'b')
  const key = await keyOf(first)
  await first.close()
  cpSync(dataDir, old, { recursive: true })
  const second = await start(dataDir, 'c')
  const out = new PassThrough()
  let output = ''
  out.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const console = { env: {}, in: Readable.from(['']), out, err: new PassThrough() }
  const watching = watchServers(console, {
    servers: [second.base],
    key: [key],
    intervalMs: 20,
    isOnce: false
  })
  const ended = t.throwsAsync(watching, { message: /went back from \d+ commits of annals\/.*\/1 to / })
  await until('the checkpoint is read', () => output.includes('commits of annals/'))
  await second.close()
  t.is((await annals(['log', 'repair', '--data-dir', dataDir, '--to', '4', '--yes'])).code, 0)
  const third = await start(dataDir)
  await until('the new incarnation is reported', () =>
    /: a new incarnation, which is not compared with the commits of annals\/.*\/1\n/u.test(output)
  )
  await third.close()
  await start(old)
  await ended
  t.regex(output, /cannot be (read|reached)/)
})
