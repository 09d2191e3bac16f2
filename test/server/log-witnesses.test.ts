// A server with witnesses: who signs its checkpoints, and which one others are shown.
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parseVkey } from '../../events/log/evidence/note-keys.js'
import { openNote } from '../../events/log/evidence/note.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import { annals } from '../support/command-line.js'
import { temporaryFolder } from '../support/process.js'
import { status } from '../support/webhook-receiver.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'
import { witness, type TestWitness } from '../support/witness.js'

interface Setting {
  readonly dataDir: string
  readonly all: readonly TestWitness[]
  readonly required: number
}

/** A server whose witnesses may know its log. */
const start = async (t: ExecutionContext, { dataDir, all, required }: Setting): Promise<TestServer> => {
  const signing = { witnesses: all.map(({ setting }) => setting), required_witnesses: required }
  const server = await serverInProcess(t, {
    dataDir,
    config: { signing, outgoing: { allow: ['127.0.0.1/32'] } }
  })
  for (const each of all) each.trust(server.scope.resolve(LogEvidence).required.vkey)
  return server
}

/** Names of those whose signature the checkpoint has that the server answers; of an older one than that of so many commits none. */
const signedBy = async (
  server: TestServer,
  size: number,
  all: readonly TestWitness[]
): Promise<readonly string[]> => {
  const { status: code, text } = await server.send('GET', '/v1/event/checkpoint')
  if (code !== 200 || Number(text.split('\n')[1]) < size) return []
  const own = await server.send('GET', '/v1/event/checkpoint/key')
  const keys = [own.text.trimEnd(), ...all.map(({ vkey }) => vkey)]
  const { verified } = openNote(Buffer.from(text), keys.map(parseVkey))
  return verified.slice(1).map(({ key }) => key.name)
}

test('what is shown has the signatures that it needs, is kept with them, and proves the log to others', async t => {
  const dataDir = join(temporaryFolder(t), 'data')
  const all = [await witness(t, 1), await witness(t, 2)]
  for (const each of all) each.receiver.answer(status(503))
  const server = await start(t, { dataDir, all, required: 2 })
  await server.send('PUT', '/v1/kv/a', { body: '1' })
  const { index } = server.app.views
  const none = await server.send('GET', '/v1/event/checkpoint')
  t.is(none.status, 503)
  t.regex(none.text, /No checkpoint has the signatures of its witnesses yet/)
  for (const each of all) each.behave()
  await until('both have signed', async () => {
    server.advance(60_000)
    return (await signedBy(server, index, all)).length === 2
  })
  const [one] = all
  const args = ['--key', server.scope.resolve(LogEvidence).required.vkey, '--witness', one?.vkey ?? '']
  const verified = await until('it is kept', async () => {
    const ended = await annals(['log', 'verify', '--data-dir', dataDir, ...args])
    return ended.code === 0 && ended
  })
  t.regex(verified.output, /signed by annals\/.*, seen by witness\.example\/1 on 2026-09-21T/)
  t.notRegex(verified.output, /cannot be ruled out/)

  // Until they have signed what comes next, this one is shown, by the next start, too.
  for (const each of all) each.receiver.answer(status(503))
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  await server.close()
  const next = await start(t, { dataDir, all, required: 2 })
  t.is((await signedBy(next, index, all)).length, 2)
  t.is((await signedBy(next, next.app.views.index, all)).length, 0)
  for (const each of all) each.behave()
  await until('what came next is signed', async () => {
    next.advance(60_000)
    return (await signedBy(next, next.app.views.index, all)).length === 2
  })
  await next.close()

  const bundle = await annals(['log', 'export', '--evidence', '--data-dir', dataDir])
  const checked = await annals(['evidence', 'verify', '-', ...args], {}, bundle.output)
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, /, seen by witness\.example\/1 on/)
})

test('without witnesses the newest checkpoint is shown', async t => {
  const server = await serverInProcess(t)
  const { checkpoints } = server.scope.resolve(LogEvidence).required
  await checkpoints.covering(server.app.views.index)
  t.truthy(checkpoints.shown)
  t.is(checkpoints.shown, checkpoints.newest)
})
