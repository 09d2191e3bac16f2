import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import { run } from '../../../server/commands/run.js'
import { logFolder, viewSettings } from '../../../server/settings/settings.js'
import { snapshotStoresIn } from '../../../projections/snapshot-stores.js'
import { blocksOf } from '../../../projections/restore-views.js'
import { Views } from '../../../projections/read-models.js'
import { annals, type CommandExit } from '../../support/command-line.js'
import { runProgram, temporaryFolder } from '../../support/process.js'
import { serverInProcess, testSettings, type TestServer } from '../../support/server.js'

const verify = (dataDir: string): Promise<CommandExit> =>
  annals(['log', 'verify', '--replay', '--data-dir', dataDir])

const checkpointFile = (dataDir: string): string => join(dataDir, 'checkpoint.json')

const writeSome = async (server: TestServer): Promise<void> => {
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'web', Rules: 'service "web" { policy = "read" }' }
  })
  for (let i = 0; i < 5; i++)
    await server.send('PUT', '/v1/acl/token', { body: { Description: `${i}`, Policies: [{ Name: 'web' }] } })
}

/** The data folder of a server that has written something and ended. */
const leftFolder = async (t: ExecutionContext): Promise<string> => {
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir })
  await writeSome(server)
  await server.close()
  return dataDir
}

test('after a clean end, verify finds that a replay of the log is the state that the server had', async t => {
  const dataDir = await leftFolder(t)
  const { index } = JSON.parse(readFileSync(checkpointFile(dataDir), 'utf8'))
  const { code, output } = await verify(dataDir)
  t.is(code, 0)
  t.regex(output, /the chain holds/)
  t.true(output.includes(`the replay equals what the server recorded at commit ${index}`), output)
})

test('commits after the checkpoint, as a crash leaves them, are replayed and the state at the checkpoint compared', async t => {
  const dataDir = await leftFolder(t)
  const checkpoint = readFileSync(checkpointFile(dataDir))
  const server = await serverInProcess(t, { dataDir })
  await writeSome(server)
  const { index } = server.app.views
  await server.close()
  writeFileSync(checkpointFile(dataDir), checkpoint)
  const { code, output } = await verify(dataDir)
  t.is(code, 0)
  t.true(output.includes(`every event of ${index} commits`), output)
  t.true(output.includes(`recorded at commit ${JSON.parse(checkpoint.toString()).index}`), output)
})

test('verify beside a running server says that there is no checkpoint, and proves the rest', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  await writeSome(server)
  const { code, output } = await runProgram([
    'log',
    'verify',
    '--replay',
    '--data-dir',
    server.settings.data_dir
  ])
  t.is(code, 0, output)
  t.regex(output, /the replay is sound: every event of \d+ commits/)
  t.regex(output, /no server has left a checkpoint/)
})

test('state digests of another state or version, and damaged ones, are distinguished', async t => {
  const dataDir = await leftFolder(t)
  const file = checkpointFile(dataDir)
  const checkpoint = JSON.parse(readFileSync(file, 'utf8'))
  const verifyWith = (content: unknown) => {
    writeFileSync(file, JSON.stringify(content))
    return verify(dataDir)
  }
  const other = await verifyWith({ ...checkpoint, digest: '0'.repeat(64) })
  t.is(other.code, 1)
  t.regex(other.errors, /replay\(log\) differs from the state that the server recorded at commit \d+/)
  const later = await verifyWith({ ...checkpoint, index: checkpoint.index + 3 })
  t.is(later.code, 1)
  t.regex(later.errors, /the end is missing/)
  const foreign = await verifyWith({ ...checkpoint, version: '0.0.0' })
  t.is(foreign.code, 0)
  t.regex(foreign.output, /the checkpoint is of version 0\.0\.0/)
  const damaged = await verifyWith({ index: 'seven' })
  t.is(damaged.code, 0)
  t.regex(damaged.output, /checkpoint\.json holds no checkpoint/)
})

test('each snapshot is compared with a replay up to its index, and an unusable one is reported', async t => {
  const dataDir = await leftFolder(t)
  const snapshot = () => annals(['log', 'snapshot', '--data-dir', dataDir])
  const made = await snapshot()
  t.is(made.code, 0, made.errors)
  const [, index = ''] = /^commits 1 to (\d+): /.exec(made.output) ?? []
  const sound = await verify(dataDir)
  t.is(sound.code, 0, sound.errors)
  t.true(sound.output.includes(`the replay equals the snapshot of commit ${index}`), sound.output)

  // A snapshot whose every hash is right, of a state that the log does not make.
  const log = await SegmentEventLog.open({ path: logFolder(dataDir), readOnly: true })
  const views = new Views(viewSettings(testSettings(t)))
  await snapshotStoresIn(log).snapshots.write(Number(index), blocksOf(views.saved()))
  await log.close()
  const other = await verify(dataDir)
  t.is(other.code, 1)
  t.regex(other.errors, /replay\(log\) differs from .*\.snapshot/)

  const file = join(logFolder(dataDir), 'snapshots', `${index.padStart(16, '0')}.snapshot`)
  writeFileSync(file, readFileSync(file).subarray(0, -1))
  const cut = await verify(dataDir)
  t.is(cut.code, 0)
  t.regex(cut.output, /\.snapshot would be passed over: it is cut short/)
})

test('without --replay the commits are proved, and nothing is said of the state', async t => {
  const { code, output } = await annals(['log', 'verify', '--data-dir', await leftFolder(t)])
  t.is(code, 0)
  t.regex(output, /the chain holds/)
  t.notRegex(output, /replay/)
})

test('a change to any byte of the newest commit is found, and named with file and commit', async t => {
  const dataDir = await leftFolder(t)
  const { index } = JSON.parse(readFileSync(checkpointFile(dataDir), 'utf8'))
  const folder = logFolder(dataDir)
  const [name = ''] = readdirSync(folder).filter(each => each.endsWith('.seg'))
  const path = join(folder, name)
  const bytes = readFileSync(path)
  const end = bytes.findLastIndex(byte => byte !== 0) + 1
  for (const at of [
    end - 1,
    bytes.lastIndexOf('"Command"'),
    bytes.lastIndexOf('Z', bytes.lastIndexOf('"Command"'))
  ]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(path, changed)
    const { code, errors } = await annals(['log', 'verify', '--data-dir', dataDir])
    t.is(code, 1)
    t.true(errors.includes(`${path} is damaged at byte`), errors)
    t.true(errors.includes(`commit ${index}`), errors)
  }
})

test('on a terminal verify shows how far it is, and takes that away in the end', async t => {
  const dataDir = await leftFolder(t)
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 })
  const out = new PassThrough()
  const shown = text(terminal)
  t.is(
    await run(['log', 'verify', '--data-dir', dataDir], {
      env: {},
      in: Readable.from([]),
      out,
      err: terminal
    }),
    0
  )
  terminal.end()
  t.regex(await shown, /verifying \[.*\] \d+ %, \d+ of \d+ commits/)
  const elsewhere = await annals(['log', 'verify', '--data-dir', dataDir])
  t.is(elsewhere.errors, '')
})

test('verify names the commit whose event is not possible where it stands', async t => {
  const dataDir = await leftFolder(t)
  const log = await SegmentEventLog.open({ path: logFolder(dataDir) })
  const Index = log.durableIndex + 1
  const token = { AccessorID: ANONYMOUS_ACCESSOR, SecretID: '' }
  const event = {
    Topic: 'ACLToken',
    Type: 'ACLTokenDeleted',
    Key: ANONYMOUS_ACCESSOR,
    Namespace: 'default',
    Partition: 'default',
    FilterKeys: null,
    Payload: { ACLToken: token }
  }
  const By = { AccessorID: '', Address: '', RequestID: '', Command: 'DeleteToken' }
  await log.append([{ Index, Time: '2026-01-01T00:00:00Z', By, Events: [event] }])
  await log.close()
  const { code, errors } = await verify(dataDir)
  t.is(code, 1)
  t.true(errors.includes(`commit ${Index} cannot follow the commits before it`), errors)
  t.regex(errors, /ACLTokenDeleted of \S+ is not possible while it is builtin/)
})
