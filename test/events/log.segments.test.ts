import test from 'ava'
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { LogFailure, LogUnusable } from '../../events/log/log.js'
import { encodeChecked } from '../../events/log/segments/checked-files.js'
import { LOG_FORMAT } from '../../events/log/segments/format.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { verifyChain } from '../../events/log/verify.js'
import { collect, commitOf } from './commits.js'
import { childScript, run, temporaryFolder } from './folders.js'
import { contract } from './log.contract.js'

contract(test, () => SegmentEventLog.open({ path: temporaryFolder() }))
contract(
  test,
  () => SegmentEventLog.open({ path: temporaryFolder(), segmentBytes: 1024 * 1024, sectorBytes: 4096 }),
  'in small segments of large sectors: '
)

const unusable = (message: RegExp) => ({ instanceOf: LogUnusable, message })

const FIRST = '0000000000000001-1.seg'

/** A closed log of 20 commits, every fourth with secrets. */
async function written(key?: Buffer): Promise<string> {
  const path = temporaryFolder()
  const log = await SegmentEventLog.open({ path, key })
  for (let i = 1; i <= 20; i++)
    await log.append([commitOf(i, i % 4 === 0 ? { secrets: { SecretID: `hidden-${i}` } } : {})])
  await log.close()
  return path
}

/** Changes a file of a log behind its back. */
function tamper(path: string, file: string, change: (bytes: Buffer) => Buffer | void): void {
  const bytes = readFileSync(join(path, file))
  writeFileSync(join(path, file), change(bytes) ?? bytes)
}

test('a reopened log appends to the same file', async t => {
  const path = join(temporaryFolder(), 'a', 'folder.with.dots')
  for (let start = 0; start < 3; start++) {
    const log = await SegmentEventLog.open({ path })
    t.is(log.durableIndex, start * 2)
    await log.append([commitOf(start * 2 + 1, { key: 'same' }), commitOf(start * 2 + 2)])
    t.is(
      (await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'same' })))
        .length,
      start + 1
    )
    await log.close()
  }
  t.deepEqual(
    readdirSync(path).filter(name => name.endsWith('.seg')),
    [FIRST]
  )
  const log = await SegmentEventLog.open({ path })
  t.like(await verifyChain(log), { headIndex: 6, headHash: log.headHash, broken: undefined })
  await log.close()
})

test('a changed record is found at the start, wherever it is, the newest included', async t => {
  for (const index of [1, 10, 20])
    for (const text of [`"key-${index}"`, '127.0.0.1', '"AccessorID":"a"', '2026-01-02']) {
      const path = await written()
      tamper(path, FIRST, bytes => {
        const near = bytes.indexOf(`"key-${index}"`)
        const at = text.startsWith('"key') ? near : bytes.lastIndexOf(text, near)
        bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 1
      })
      await t.throwsAsync(
        SegmentEventLog.open({ path }),
        unusable(new RegExp(`${FIRST} is damaged at byte \\d+, commit ${index}: .*repair --to ${index - 1}`))
      )
      await t.throwsAsync(SegmentEventLog.open({ path, readOnly: true }), unusable(/is damaged/))
    }
})

test('a log with encrypted secrets opens only with its key', async t => {
  const key = Buffer.alloc(32, 7)
  const path = await written(key)
  t.false(readFileSync(join(path, FIRST)).includes('hidden-4'))
  await t.throwsAsync(SegmentEventLog.open({ path }), unusable(/encrypted; configure the key/))
  await t.throwsAsync(SegmentEventLog.open({ path, key: Buffer.alloc(32, 8) }), unusable(/not the one/))
  await t.throwsAsync(SegmentEventLog.open({ path, key: Buffer.alloc(5) }), unusable(/32 bytes/))
  const log = await SegmentEventLog.open({ path, key })
  t.is((await collect(log.read(20)))[0]?.Events[0]?.Secrets?.['SecretID'], 'hidden-20')
  await log.close()
})

test('a key can be given later: what was clear stays readable, what comes is encrypted', async t => {
  const path = await written()
  const key = Buffer.alloc(32, 7)
  const log = await SegmentEventLog.open({ path, key })
  await log.append([commitOf(21, { secrets: { SecretID: 'new-secret' } })])
  t.is((await collect(log.read(1))).filter(c => c.Events[0]?.Secrets).length, 6)
  await log.close()
  t.false(readFileSync(join(path, FIRST)).includes('new-secret'))
  await t.throwsAsync(SegmentEventLog.open({ path }), unusable(/encrypted/))
})

test('a log of a newer version is not touched', async t => {
  const path = await written()
  tamper(path, 'meta.json', bytes => {
    const { Check: _, ...fields } = JSON.parse(bytes.toString())
    return encodeChecked({ ...fields, Format: LOG_FORMAT + 1 })
  })
  await t.throwsAsync(SegmentEventLog.open({ path }), unusable(/format 5, written by a newer version/))
})

test('a log of the old form says how to take it over', async t => {
  for (const file of ['data.mdb', 'journal']) {
    const path = temporaryFolder()
    writeFileSync(join(path, file), '')
    for (const readOnly of [false, true])
      await t.throwsAsync(
        SegmentEventLog.open({ path, readOnly }),
        unusable(/version 0\.1: .*\/v1\/snapshot/)
      )
  }
})

test('a reader of a log whose writer was killed sees what was acknowledged', async t => {
  const path = temporaryFolder()
  const child = run(process.execPath, childScript, 'hold', path)
  t.is(await child.line(), 1)
  child.process.kill('SIGKILL')
  await child.ended
  const before = readdirSync(path)
  const reader = await SegmentEventLog.open({ path, readOnly: true })
  t.like(await verifyChain(reader), { headIndex: 1, broken: undefined })
  await reader.close()
  t.deepEqual(readdirSync(path), before)
})

test('the files of a log are for their owner only', async t => {
  const path = await written(Buffer.alloc(32, 1))
  const files = readdirSync(path)
  t.true([FIRST, 'durable', 'head', 'keys', 'meta.json', 'reserve'].every(file => files.includes(file)))
  for (const file of files) t.is(statSync(join(path, file)).mode & 0o777, 0o600, file)
  const made = join(path, 'made')
  await (await SegmentEventLog.open({ path: made })).close()
  t.is(statSync(made).mode & 0o777, 0o700)
})

test('an empty log takes less than 1 MiB', async t => {
  const path = temporaryFolder()
  await (await SegmentEventLog.open({ path })).close()
  const bytes = readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).blocks * 512, 0)
  t.true(bytes < 1024 * 1024, `${bytes}`)
})

test('a folder without a log is not opened for reading, and stays as it is', async t => {
  const path = join(temporaryFolder(), 'nothing')
  await t.throwsAsync(SegmentEventLog.open({ path, readOnly: true }), unusable(/there is no log/))
  t.false(existsSync(path))
})

test('a second writer is refused, in this process and in another, until the first has gone', async t => {
  const path = temporaryFolder()
  const child = run(process.execPath, childScript, 'hold', path)
  t.is(await child.line(), 1)
  await t.throwsAsync(SegmentEventLog.open({ path }), unusable(/another server writes the log/))
  child.process.kill('SIGKILL')
  await child.ended
  const log = await SegmentEventLog.open({ path })
  t.is(log.durableIndex, 1)
  await t.throwsAsync(SegmentEventLog.open({ path }), unusable(/another server writes the log/))
  const refused = run(process.execPath, childScript, 'hold', path)
  await t.throwsAsync(refused.line(), { message: /another server writes the log/ })
  await log.append([commitOf(2)])
  await log.close()
  const next = run(process.execPath, childScript, 'hold', path)
  t.is(await next.line(), 3)
  next.process.kill('SIGKILL')
  await next.ended
})

test('no file can be removed that would let a second writer in', async t => {
  const path = temporaryFolder()
  const log = await SegmentEventLog.open({ path })
  await log.append([commitOf(1)])
  for (const name of readdirSync(path)) if (name !== FIRST) unlinkSync(join(path, name))
  const link = join(temporaryFolder(), 'link')
  symlinkSync(path, link)
  for (const each of [path, link])
    await t.throwsAsync(SegmentEventLog.open({ path: each }), unusable(/another server writes the log/))
  await log.append([commitOf(2)])
  await log.close()
})

test('another process can follow the log while this one writes it, and cannot append', async t => {
  const path = temporaryFolder()
  const log = await SegmentEventLog.open({ path })
  await log.append([commitOf(1)])
  const reader = run(process.execPath, childScript, 'tail', path, '300')
  t.is(await reader.line(), 'open')
  for (let i = 2; i <= 300; i++) await log.append([commitOf(i, { size: 3000 })])
  const { seen, refused } = await reader.line<{ seen: number[]; refused: string }>()
  t.deepEqual(
    seen,
    Array.from({ length: 300 }, (_, i) => i + 1)
  )
  t.regex(refused, /LogFailure: .*reading only/)
  await reader.ended
  await log.close()
})

test('a writer that was killed leaves a log that holds', async t => {
  const path = temporaryFolder()
  for (let round = 1; round <= 3; round++) {
    const child = run(process.execPath, childScript, 'hold', path)
    t.is(await child.line(), round)
    child.process.kill('SIGKILL')
    await child.ended
  }
  const log = await SegmentEventLog.open({ path })
  t.like(await verifyChain(log), { headIndex: 3, broken: undefined })
  await log.append([commitOf(4)])
  await log.close()
  await t.throwsAsync(log.append([commitOf(5)]), { instanceOf: LogFailure })
})
