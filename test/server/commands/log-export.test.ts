import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { stateDigestOf } from '../../../server/snapshots/state-digest.js'
import { logFolder, viewSettings } from '../../../server/settings/settings.js'
import { Views } from '../../../projections/read-models.js'
import { collect, commitOf } from '../../events/commits.js'
import { annals, type CommandExit } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess, testSettings } from '../../support/server.js'

/** The data folder of a server with resources with and without secrets. */
const leftFolder = async (t: ExecutionContext): Promise<string> => {
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await serverInProcess(t, { dataDir })
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'web', Rules: 'key_prefix "" { policy = "read" }' }
  })
  for (let i = 0; i < 5; i++) {
    await server.send('PUT', '/v1/acl/token', { body: { Description: `${i}`, Policies: [{ Name: 'web' }] } })
    await server.send('PUT', `/v1/kv/line\u2028separator/${i}`, {
      body: `\u2028 and \n ${i}`,
      headers: { 'X-Service-Reason': `round ${i}` }
    })
  }
  await server.close()
  return dataDir
}

const exported = async (dataDir: string, ...more: readonly string[]): Promise<string> => {
  const { output } = await annals(['log', 'export', '--data-dir', dataDir, ...more])
  return output
}

const importTo = (dataDir: string, input: string): Promise<CommandExit> =>
  annals(['log', 'import', '-', '--data-dir', dataDir], {}, input)

const logOf = (dataDir: string): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: logFolder(dataDir), readOnly: true })

/** What a replay of the log of a data folder makes. */
const stateOf = async (t: ExecutionContext, dataDir: string): Promise<string> => {
  const views = new Views(viewSettings(testSettings(t)))
  const log = await logOf(dataDir)
  for await (const commit of log.read(1)) views.apply(commit)
  await log.close()
  return stateDigestOf(views).digest
}

test('what was exported with secrets is imported as the same commits and the same state, as a log of its own', async t => {
  const dataDir = await leftFolder(t)
  const folder = temporaryFolder(t)
  const [file, imported] = [join(folder, 'log.ndjson'), join(folder, 'imported')]
  writeFileSync(file, await exported(dataDir, '--with-secrets'))
  const { code, errors } = await annals(['log', 'import', file, '--data-dir', imported])
  t.is(code, 0, errors)
  const [from, to] = [await logOf(dataDir), await logOf(imported)]
  t.deepEqual(await collect(to.read(1)), await collect(from.read(1)))
  t.not(to.identity.id, from.identity.id)
  await from.close()
  await to.close()
  t.is(await stateOf(t, imported), await stateOf(t, dataDir))
  const verified = await annals(['log', 'verify', '--replay', '--data-dir', imported])
  t.is(verified.code, 0, verified.errors)
  const server = await serverInProcess(t, { dataDir: imported })
  t.is((await server.send('GET', '/v1/acl/tokens')).status, 200)
})

test('the first line tells what an export is, and the last one how many commits it has and their digest', async t => {
  const dataDir = await leftFolder(t)
  const log = await logOf(dataDir)
  const text = await exported(dataDir, '--from', '3', '--to', '7')
  const lines = text.trimEnd().split('\n')
  t.deepEqual(JSON.parse(lines[0] ?? ''), {
    Annals: 'log export',
    Format: 1,
    Log: log.identity.id,
    Incarnation: 1,
    From: 3,
    HeadIndex: 7,
    HeadHash: await log.hashAt(7),
    Secrets: false
  })
  await log.close()
  const last = lines.at(-1) ?? ''
  const before = text.slice(0, text.lastIndexOf(last))
  t.deepEqual(JSON.parse(last), { Commits: 5, SHA256: createHash('sha256').update(before).digest('hex') })
  t.deepEqual(
    lines.slice(1, -1).map(line => JSON.parse(line).Index),
    [3, 4, 5, 6, 7]
  )
  t.false(text.includes('"Secrets":{'))
})

test('an import refuses what it cannot make a log of, and leaves nothing', async t => {
  const dataDir = await leftFolder(t)
  const text = await exported(dataDir, '--with-secrets')
  const lines = text.trimEnd().split('\n')
  const changed = (number: number, from: string, to: string): string =>
    lines.map((line, i) => (i === number ? line.replace(from, to) : line)).join('\n')
  const cases: readonly (readonly [input: string, message: RegExp])[] = [
    ['', /the export is empty/],
    ['{"Annals":"other"}\n', /line 1 is not the header/],
    [await exported(dataDir), /has no secrets.*--with-secrets/],
    [await exported(dataDir, '--with-secrets', '--from', '2'), /begins with commit 2/],
    [lines.slice(0, -1).join('\n'), /was cut: it ends with commit \d+ of \d+, without its last line/],
    [text.slice(0, text.length / 2), /line \d+ of the export is not JSON/],
    [changed(4, '"Time":"2', '"Time":"3'), /does not fit the lines before it/],
    [changed(4, '"Index":4', '"Index":5'), /line 5 of the export is not commit 4/],
    [changed(4, '"Topic"', '"Tropic"'), /line 5 of the export is not commit 4/],
    [[...lines, lines[1]].join('\n'), /comes after the last line/]
  ]
  const folder = temporaryFolder(t)
  for (const [input, message] of cases) {
    const { code, errors } = await importTo(join(folder, 'new'), input)
    t.is(code, 1)
    t.regex(errors, message)
    t.false(existsSync(join(folder, 'new')))
  }
  const full = join(folder, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'letter'), 'mine')
  t.regex((await importTo(full, text)).errors, /is not empty \(letter\)/)
  t.deepEqual(readdirSync(full), ['letter'])
})

test('an export of which the commits make no state is refused', async t => {
  const folder = temporaryFolder(t)
  const log = await SegmentEventLog.open({ path: logFolder(folder) })
  await log.append([
    { ...commitOf(1), Events: commitOf(1).Events.map(event => ({ ...event, Type: 'Unheard' })) }
  ])
  await log.close()
  const { code } = await importTo(join(folder, 'new'), await exported(folder, '--with-secrets'))
  t.is(code, 1)
  t.false(existsSync(join(folder, 'new')))
})
