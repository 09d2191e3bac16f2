import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { open as openLmdb } from 'lmdb'
import { LmdbEventLog } from '../../events/log/lmdb.js'
import { LogFailure, LogUnusable } from '../../events/log/log.js'
import { verifyChain } from '../../events/log/verify.js'
import { collect, commitOf } from './commits.js'
import { childScript, run, temporaryFolder } from './folders.js'
import { contract } from './log.contract.js'

contract(test, () => LmdbEventLog.open({ path: temporaryFolder() }))

const unusable = (message: RegExp) => ({ instanceOf: LogUnusable, message })

/** Changes the files behind the log's back. Keys of `commits` are 8 bytes, big-endian: twice the index for a record, one more for its secrets. */
async function tamper(
  path: string,
  part: string,
  key: number | string,
  change: (old: Buffer) => Buffer | undefined
): Promise<void> {
  const root = openLmdb({ path, noSubdir: false, overlappingSync: false })
  const bytes = Buffer.alloc(8)
  if (typeof key === 'number') bytes.writeBigUInt64BE(BigInt(key))
  const named = typeof key === 'string'
  const db = root.openDB<Buffer, Buffer | string>({
    name: part,
    encoding: 'binary',
    keyEncoding: named ? 'ordered-binary' : 'binary'
  })
  const at = named ? key : bytes
  const changed = change(db.get(at) ?? Buffer.alloc(0))
  if (changed) await db.put(at, changed)
  else await db.remove(at)
  await root.close()
}

const flip =
  (offset: number) =>
  (old: Buffer): Buffer => {
    const copy = Buffer.from(old)
    copy[offset] = (copy[offset] ?? 0) ^ 1
    return copy
  }

/** A closed log of 20 commits, every fourth with secrets. */
async function written(key?: Buffer): Promise<string> {
  const path = temporaryFolder()
  const log = await LmdbEventLog.open({ path, key })
  for (let i = 1; i <= 20; i++)
    await log.append([commitOf(i, i % 4 === 0 ? { secrets: { SecretID: `hidden-${i}` } } : {})])
  await log.close()
  return path
}

test('a log goes on where it was closed', async t => {
  const path = join(temporaryFolder(), 'a', 'folder.with.dots')
  for (let start = 0; start < 3; start++) {
    const log = await LmdbEventLog.open({ path })
    t.is(log.durableIndex, start * 2)
    await log.append([commitOf(start * 2 + 1, { key: 'same' }), commitOf(start * 2 + 2)])
    t.is((await collect(log.history('ACLToken', 'default', '', 'same'))).length, start + 1)
    await log.close()
  }
  const log = await LmdbEventLog.open({ path })
  t.like(await verifyChain(log), { headIndex: 6, headHash: log.headHash, broken: undefined })
  await log.close()
})

test('a changed record is found at once, wherever it is', async t => {
  for (const index of [1, 10, 19]) {
    const path = await written()
    await tamper(path, 'commits', 2 * index, flip(60))
    const log = await LmdbEventLog.open({ path })
    const { broken } = await verifyChain(log)
    t.true(broken?.index === index || broken?.index === index + 1)
    await log.close()
  }
})

test('a changed newest record is shown by the pinned head hash', async t => {
  const path = await written()
  const before = await LmdbEventLog.open({ path })
  const pinned = before.headHash
  await before.close()
  await tamper(path, 'commits', 2 * 20, old =>
    Buffer.from(old.toString('latin1').replace('Address', 'address'), 'latin1')
  )
  const after = await LmdbEventLog.open({ path })
  t.not((await verifyChain(after)).headHash, pinned)
  await after.close()
})

test('a record cut out of the middle is found, by reading and by verifying', async t => {
  const path = await written()
  await tamper(path, 'commits', 2 * 9, () => undefined)
  const log = await LmdbEventLog.open({ path }).catch(async error => {
    t.true(error instanceof LogUnusable)
    return LmdbEventLog.open({ path, readOnly: true })
  })
  t.like(await verifyChain(log), { headIndex: 8, broken: { index: 9, reason: 'commit 9 is missing' } })
  await t.throwsAsync(collect(log.read(1)), unusable(/commit 9 is missing/))
  await log.close()
})

test('changed, missing or exchanged secrets are found', async t => {
  const changes: ((old: Buffer) => Buffer | undefined)[] = [flip(30), () => undefined]
  for (const key of [undefined, Buffer.alloc(32, 7)])
    for (const change of changes) {
      const path = await written(key)
      await tamper(path, 'commits', 2 * 8 + 1, change)
      const log = await LmdbEventLog.open({ path, key })
      t.is((await verifyChain(log)).broken?.index, 8)
      await t.throwsAsync(collect(log.read(8)), unusable(/secrets of commit 8/))
      t.is((await collect(log.read(9))).length, 12)
      await log.close()
    }
})

test('a log with encrypted secrets opens only with its key', async t => {
  const key = Buffer.alloc(32, 7)
  const path = await written(key)
  await t.throwsAsync(LmdbEventLog.open({ path }), unusable(/encrypted; configure the key/))
  await t.throwsAsync(LmdbEventLog.open({ path, key: Buffer.alloc(32, 8) }), unusable(/not the one/))
  await t.throwsAsync(LmdbEventLog.open({ path, key: Buffer.alloc(5) }), unusable(/32 bytes/))
  const log = await LmdbEventLog.open({ path, key })
  t.is((await collect(log.read(20)))[0]?.Events[0]?.Secrets?.['SecretID'], 'hidden-20')
  await log.close()
})

test('a key can be given later: what was clear stays readable, what comes is encrypted', async t => {
  const path = await written()
  const key = Buffer.alloc(32, 7)
  const log = await LmdbEventLog.open({ path, key })
  await log.append([commitOf(21, { secrets: { SecretID: 'new' } })])
  t.is((await collect(log.read(1))).filter(c => c.Events[0]?.Secrets).length, 6)
  await log.close()
  await t.throwsAsync(LmdbEventLog.open({ path }), unusable(/encrypted/))
})

test('a log of a newer version is not touched', async t => {
  const path = await written()
  await tamper(path, 'meta', 'format', () => Buffer.from('3'))
  await t.throwsAsync(LmdbEventLog.open({ path }), unusable(/format 3, written by a newer version/))
})

test('a log of format 1, which has no journal, is read, goes on, and is of the format of now from its first writer on', async t => {
  const path = await written()
  rmSync(join(path, 'journal'))
  await tamper(path, 'meta', 'format', () => Buffer.from('1'))
  const reader = await LmdbEventLog.open({ path, readOnly: true })
  t.is(reader.durableIndex, 20)
  await reader.close()
  await tamper(path, 'meta', 'format', old => {
    t.is(old.toString(), '1')
    return old
  })
  const log = await LmdbEventLog.open({ path })
  await log.append([commitOf(21)])
  await log.close()
  await tamper(path, 'meta', 'format', old => {
    t.is(old.toString(), '2')
    return old
  })
  const next = await LmdbEventLog.open({ path })
  t.like(await verifyChain(next), { headIndex: 21, broken: undefined })
  await next.close()
})

test('a reader of a log whose writer was killed sees what the journal holds', async t => {
  const path = temporaryFolder()
  const child = run(process.execPath, childScript, 'hold', path)
  t.is(await child.line(), 1)
  child.process.kill('SIGKILL')
  await child.ended
  const reader = await LmdbEventLog.open({ path, readOnly: true })
  t.like(await verifyChain(reader), { headIndex: 1, broken: undefined })
  await reader.close()
})

test('the files of a log are for their owner only', async t => {
  const path = await written()
  for (const file of ['data.mdb', 'lock.mdb', 'journal', 'writer/data.mdb', 'writer/lock.mdb'])
    t.is(statSync(join(path, file)).mode & 0o777, 0o600, file)
})

test('a folder without a log is not opened for reading, and stays as it is', async t => {
  const path = join(temporaryFolder(), 'nothing')
  await t.throwsAsync(LmdbEventLog.open({ path, readOnly: true }), unusable(/there is no log/))
  t.false(existsSync(path))
})

test('a second writer is refused, in this process and in another, until the first has gone', async t => {
  const path = temporaryFolder()
  const child = run(process.execPath, childScript, 'hold', path)
  t.is(await child.line(), 1)
  await t.throwsAsync(LmdbEventLog.open({ path }), unusable(/another process writes the log/))
  child.process.kill('SIGKILL')
  await child.ended
  const log = await LmdbEventLog.open({ path })
  t.is(log.durableIndex, 1)
  await t.throwsAsync(LmdbEventLog.open({ path }), unusable(/already open in this process/))
  const refused = run(process.execPath, childScript, 'hold', path)
  await t.throwsAsync(refused.line(), { message: /another process writes the log/ })
  await log.append([commitOf(2)])
  await log.close()
  const next = run(process.execPath, childScript, 'hold', path)
  t.is(await next.line(), 3)
  next.process.kill('SIGKILL')
  await next.ended
})

test('another process can follow the log while this one writes it, and cannot append', async t => {
  const path = temporaryFolder()
  const log = await LmdbEventLog.open({ path })
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
  const log = await LmdbEventLog.open({ path })
  t.like(await verifyChain(log), { headIndex: 3, broken: undefined })
  await log.append([commitOf(4)])
  await log.close()
  await t.throwsAsync(log.append([commitOf(5)]), { instanceOf: LogFailure })
})
