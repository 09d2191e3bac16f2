import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Commit } from '../../../events/envelope.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { logFolder } from '../../../server/settings/settings.js'
import { collect, commitOf } from '../../events/commits.js'
import { annals, type CommandExit } from '../../support/command-line.js'
import { fileScope } from '../../support/file-scope.js'
import { runProgram, temporaryFolder } from '../../support/process.js'
import { serverInProcess } from '../../support/server.js'
import { until as untilTrue } from '../../support/wait.js'

const timeOf = (index: number): string => `2026-01-01T00:${String(index).padStart(2, '0')}:00Z`

/** A commit a minute. */
const commitAt = (index: number): Commit => ({
  ...commitOf(index, { secrets: { SecretID: `secret-${index}` }, size: 60_000 }),
  Time: timeOf(index)
})

const openLog = (dataDir: string): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: logFolder(dataDir), segmentBytes: 2 ** 20 })

/** Appends commits one after another, each a group of its own, up to this one. */
const writeTo = async (log: SegmentEventLog, last: number): Promise<void> => {
  while (log.durableIndex < last) await log.append([commitAt(log.durableIndex + 1)])
}

const file = fileScope(test, 'the data folder that was written')

const write = async (): Promise<string> => {
  const dataDir = join(temporaryFolder(file), 'data')
  const log = await openLog(dataDir)
  await writeTo(log, 50)
  await log.close()
  return dataDir
}

let original: Promise<string> | undefined

/** A data folder with commits 1 to 50, in several segments. */
const leftFolder = async (t: ExecutionContext): Promise<string> => {
  const dataDir = join(temporaryFolder(t), 'data')
  cpSync(await (original ??= write()), dataDir, { recursive: true })
  return dataDir
}

const commitsIn = async (dataDir: string): Promise<readonly Commit[]> => {
  const log = await SegmentEventLog.open({ path: logFolder(dataDir), readOnly: true })
  try {
    return await collect(log.read(1))
  } finally {
    await log.close()
  }
}

const expected = (last: number): readonly Commit[] => Array.from({ length: last }, (_, i) => commitAt(i + 1))

const segmentsOf = (dataDir: string): readonly string[] =>
  readdirSync(logFolder(dataDir))
    .filter(name => name.endsWith('.seg'))
    .toSorted()

const backup = (dataDir: string, target: string): Promise<CommandExit> =>
  annals(['log', 'backup', target, '--data-dir', dataDir])
const verify = (dataDir: string): Promise<CommandExit> => annals(['log', 'verify', '--data-dir', dataDir])

/** Changes a byte of a file. */
const damage = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x40
  writeFileSync(path, bytes)
}

test('a backup during 32 concurrent writers has every acknowledged commit, and a server continues from it', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  const folder = temporaryFolder(t)
  const [target, dataDir] = [join(folder, 'backup'), join(folder, 'restored')]
  const acknowledged = new Set<string>()
  const over = new AbortController()
  const writer = async (name: number): Promise<void> => {
    for (let i = 0; !over.signal.aborted; i++) {
      const key = `writer-${name}/${i}`
      const { status } = await server.send('PUT', `/v1/kv/${key}`, { body: `${i}` })
      if (status === 200) acknowledged.add(key)
    }
  }
  const writers = Array.from({ length: 32 }, (_, name) => writer(name))
  while (acknowledged.size < 100) await server.send('GET', '/v1/status/leader')
  const before = [...acknowledged]
  const made = await runProgram(['log', 'backup', target, '--data-dir', server.settings.data_dir])
  over.abort()
  await Promise.all(writers)
  t.is(made.code, 0, made.output)
  const [, last = ''] = /^commits 1 to (\d+):/.exec(made.output) ?? []
  const head = Number(last)
  t.true(acknowledged.size > before.length, 'writes went on meanwhile')

  const restored = await annals(['log', 'restore', target, '--data-dir', dataDir])
  t.is(restored.code, 0, restored.errors)
  const commits = await commitsIn(dataDir)
  t.is(commits.length, head + 1)
  const written = await collect(server.app.log.read(1))
  t.deepEqual(commits.slice(0, head), written.slice(0, head))
  const keys = new Set(commits.flatMap(({ Events }) => Events.map(({ Key }) => Key)))
  t.deepEqual(
    before.filter(key => !keys.has(key)),
    []
  )

  const next = await serverInProcess(t, { dataDir })
  t.is((await next.send('GET', `/v1/kv/${before[0]}?raw`)).status, 200)
  t.is((await next.send('PUT', '/v1/kv/after', { body: 'restore' })).status, 200)
  await next.close()
  const proved = await annals(['log', 'verify', '--replay', '--data-dir', dataDir])
  t.is(proved.code, 0, proved.errors)
})

test('a backup is brought up to date by what is new alone; another folder, or another log, is refused', async t => {
  const dataDir = await leftFolder(t)
  const target = join(temporaryFolder(t), 'backup')
  const first = await backup(dataDir, target)
  t.is(first.code, 0, first.errors)
  t.deepEqual(await commitsIn(target), expected(50))
  for (const name of readdirSync(logFolder(target))) t.is(statSync(join(logFolder(target), name)).nlink, 1)
  t.is(statSync(logFolder(target)).mode & 0o777, 0o700)
  for (const name of segmentsOf(target)) t.is(statSync(join(logFolder(target), name)).mode & 0o777, 0o600)

  const log = await openLog(dataDir)
  await writeTo(log, 55)
  const second = await backup(dataDir, target)
  await log.close()
  t.is(second.code, 0, second.errors)
  t.deepEqual(await commitsIn(target), expected(55))
  const copied = ({ output }: CommandExit): number => Number(/: (\d+) bytes copied/.exec(output)?.[1])
  t.true(copied(second) < copied(first) / 2, second.output)

  const foreign = await backup(await leftFolder(t), target)
  t.regex(foreign.errors, /holds the backup of another log/)
  const full = temporaryFolder(t)
  writeFileSync(join(full, 'letter'), 'mine')
  t.regex((await backup(dataDir, full)).errors, /is not empty, and holds no backup/)
  t.deepEqual(readdirSync(full), ['letter'])
  t.deepEqual(await commitsIn(target), expected(55))
})

test('damage to a backup is found by verify, and keeps it from being restored', async t => {
  const dataDir = await leftFolder(t)
  const folder = temporaryFolder(t)
  const target = join(folder, 'backup')
  await backup(dataDir, target)
  const [name = ''] = segmentsOf(target)
  damage(join(logFolder(target), name), 300_000)
  const found = await verify(target)
  t.is(found.code, 1)
  t.true(found.errors.includes(`${name} is damaged at byte`), found.errors)
  const restored = await annals(['log', 'restore', target, '--data-dir', join(folder, 'restored')])
  t.is(restored.code, 1)
  t.false(existsSync(join(folder, 'restored')))
})

test('a log is restored up to an index or a time, under a new incarnation that names the old end', async t => {
  const dataDir = await leftFolder(t)
  const folder = temporaryFolder(t)
  const target = join(folder, 'backup')
  await backup(dataDir, target)
  const source = await SegmentEventLog.open({ path: logFolder(target), readOnly: true })
  const { identity } = source
  const hash = await source.hashAt(50)
  await source.close()
  const restore = async (name: string, until: string): Promise<number> => {
    const restored = join(folder, name)
    const { code, errors } = await annals([
      'log',
      'restore',
      target,
      '--data-dir',
      restored,
      '--until',
      until
    ])
    t.is(code, 0, errors)
    const commits = await commitsIn(restored)
    const [begun] = commits.slice(-1)
    t.deepEqual(begun?.By.Continues, {
      Log: identity.id,
      Incarnation: identity.incarnation,
      Index: 50,
      Hash: hash
    })
    t.deepEqual(commits.slice(0, -1), expected(commits.length - 1))
    t.is((await verify(restored)).code, 0)
    return commits.length - 1
  }
  t.is(await restore('index', '7'), 7)
  t.is(await restore('time', '2026-01-01T00:31:59Z'), 31)
  t.is(await restore('zone', '2026-01-01T01:05:00+01:00'), 5)
  t.is(await restore('all', '50'), 50)

  const [one, other] = [await openLog(join(folder, 'index')), await openLog(join(folder, 'time'))]
  t.true(one.identity.incarnation > identity.incarnation)
  t.not(one.identity.incarnation, other.identity.incarnation)
  await one.append([commitAt(9)])
  await other.close()
  await one.close()
  t.deepEqual((await commitsIn(join(folder, 'index'))).at(-1), commitAt(9))

  for (const until of ['51', '2025-12-31T00:00:00Z']) {
    const { errors } = await annals([
      'log',
      'restore',
      target,
      '--data-dir',
      join(folder, 'no'),
      '--until',
      until
    ])
    t.regex(errors, /has commits 1 to 50: --until names none of them/)
  }
  t.regex(
    (await annals(['log', 'restore', target, '--data-dir', join(folder, 'all')])).errors,
    /is not empty \(log\)/
  )
})

test('repair cuts behind a commit what damage keeps from being opened, and keeps a copy', async t => {
  const dataDir = await leftFolder(t)
  const names = segmentsOf(dataDir)
  t.true(names.length > 2)
  const [second = ''] = names.slice(1)
  const path = join(logFolder(dataDir), second)
  damage(path, 300_000)
  damage(join(logFolder(dataDir), names.at(-1) ?? ''), 20)
  const damaged = new Map(names.map(name => [name, readFileSync(join(logFolder(dataDir), name))]))
  const [, at = ''] =
    /damaged at byte \d+, commit (\d+)/.exec((await annalsRepair(dataDir, '49')).errors) ?? []
  t.is(Number(at), 35)
  const refused = await annalsRepair(dataDir, '34')
  const to = Number(/can be kept up to commit (\d+) at most/.exec(refused.errors)?.[1])
  t.true(to > 17 && to < 34, refused.errors)

  const asked = await annalsRepair(dataDir, `${to}`)
  t.is(asked.code, 1)
  t.regex(asked.output, new RegExp(`Cut off: commits ${to + 1} to 50 \\(2026-01-01T00:.*\\)`))
  t.regex(asked.errors, /add --yes/)
  for (const [name, bytes] of damaged)
    t.true(readFileSync(join(logFolder(dataDir), name)).equals(bytes), name)

  const { code, output, errors } = await annalsRepair(dataDir, `${to}`, '--yes')
  t.is(code, 0, errors)
  const [, copy = ''] = /copy of what is cut off: (.*)/.exec(output) ?? []
  for (const name of readdirSync(copy))
    t.true(damaged.get(name)?.equals(readFileSync(join(copy, name))), name)
  t.deepEqual(readdirSync(copy).toSorted(), names.slice(1))
  t.is((await verify(dataDir)).code, 0)
  const log = await openLog(dataDir)
  await log.append([commitAt(to + 2)])
  await log.close()
  const commits = await commitsIn(dataDir)
  t.deepEqual(commits.toSpliced(to, 1), [...expected(to), commitAt(to + 2)])
  t.like(commits[to]?.By, { Command: 'RepairLog', Continues: { Index: 50 } })
})

const annalsRepair = (dataDir: string, to: string, ...more: readonly string[]): Promise<CommandExit> =>
  annals(['log', 'repair', '--to', to, '--data-dir', dataDir, ...more])

test('a packed log is read, backed up beside its writer, restored to inside of a packed segment, and repaired there', async t => {
  const folder = temporaryFolder(t)
  const [dataDir, target, restored] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'restored')]
  const log = await SegmentEventLog.open({
    path: logFolder(dataDir),
    segmentBytes: 2 ** 20,
    compress: true
  })
  await writeTo(log, 50)
  await untilTrue('all but the newest segment is packed', () => segmentsOf(dataDir).length === 1)
  const made = await backup(dataDir, target)
  t.is(made.code, 0, made.errors)
  await log.close()
  t.deepEqual(await commitsIn(target), expected(50))
  t.is(segmentsOf(target).length, 1)
  const shown = await annals(['log', 'show', '--from', '20', '--to', '22', '--data-dir', target])
  t.is(shown.output.split('\n').filter(line => /^2[0-2] /.test(line)).length, 3)
  const exported = await annals(['log', 'export', '--with-secrets', '--data-dir', dataDir])
  t.is(exported.code, 0, exported.errors)
  t.is(exported.output.trim().split('\n').length, 52)

  const { code, errors } = await annals(['log', 'restore', target, '--data-dir', restored, '--until', '20'])
  t.is(code, 0, errors)
  t.deepEqual((await commitsIn(restored)).slice(0, 20), expected(20))
  t.is((await verify(restored)).code, 0)

  const cut = await annalsRepair(dataDir, '19', '--yes')
  t.is(cut.code, 0, cut.errors)
  t.deepEqual((await commitsIn(dataDir)).slice(0, 19), expected(19))
  t.is((await verify(dataDir)).code, 0)

  for (const end of ['.pack', '.secrets']) {
    const [name = ''] = readdirSync(logFolder(target)).filter(each => each.endsWith(end))
    const path = join(logFolder(target), name)
    const whole = readFileSync(path)
    damage(path, Math.floor(whole.length / 3))
    const found = await verify(target)
    t.is(found.code, 1)
    t.true(found.errors.includes(name.slice(0, 18)), found.errors)
    writeFileSync(path, whole)
  }
})

test('repair refuses beside a server, and where not all that would be kept holds', async t => {
  const dataDir = await leftFolder(t)
  const log = await openLog(dataDir)
  const beside = await annalsRepair(dataDir, '10', '--yes')
  t.is(beside.code, 1)
  t.regex(beside.errors, /another server writes the log/)
  await log.close()
  const [name = ''] = segmentsOf(dataDir)
  damage(join(logFolder(dataDir), name), 300_000)
  const below = await annalsRepair(dataDir, '40', '--yes')
  t.is(below.code, 1)
  t.regex(below.errors, /can be kept up to commit \d+ at most/)
  t.regex((await annalsRepair(dataDir, '99', '--yes')).errors, /can be kept up to commit \d+ at most|damaged/)
})

test('a log of which nothing holds is repaired to nothing', async t => {
  const dataDir = await leftFolder(t)
  for (const name of segmentsOf(dataDir)) damage(join(logFolder(dataDir), name), 20)
  t.is((await annalsRepair(dataDir, '0', '--yes')).code, 0)
  t.deepEqual(
    (await commitsIn(dataDir)).map(({ By }) => By.Command),
    ['RepairLog']
  )
})
