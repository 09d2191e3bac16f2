// The room that is kept at the end of LMDB's file: enough for each transaction, and never where LMDB has written.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { FileReserve } from '../../events/log/file-reserve.js'
import { LmdbEventLog } from '../../events/log/lmdb.js'
import { SEGMENT } from '../../events/log/history.js'
import { verifyChain } from '../../events/log/verify.js'
import { commitOf } from './commits.js'
import { temporaryFolder } from './folders.js'

const PAGE = 4096

test('what somebody else added to the file is never overwritten with zeros', async t => {
  const file = join(temporaryFolder(), 'data')
  writeFileSync(file, Buffer.alloc(PAGE, 'a'))
  let lastPage = 0
  const reserve = new FileReserve(file, PAGE, () => lastPage)
  await reserve.take(10)
  const reserved = readFileSync(file).length
  appendFileSync(file, Buffer.alloc(5 * PAGE, 'b'))
  lastPage = readFileSync(file).length / PAGE - 1
  await reserve.take(reserved / PAGE)
  reserve.close()
  const content = readFileSync(file)
  t.deepEqual(content.subarray(reserved, reserved + 5 * PAGE), Buffer.alloc(5 * PAGE, 'b'))
  t.true(content.length >= 2 * reserved + 5 * PAGE)
})

test('a segment of commits with very many events leaves a log that can be written and verified', async t => {
  const log = await LmdbEventLog.open({ path: temporaryFolder() })
  const many = 10
  for (let index = 1; index <= many; index++)
    await log.append([commitOf(index, { events: 40_000, size: 0, key: 'k' })])
  const few = Array.from({ length: SEGMENT + 500 - many }, (_, i) => commitOf(many + 1 + i, { size: 3000 }))
  for (let i = 0; i < few.length; i += 16) await log.append(few.slice(i, i + 16))
  t.like(await verifyChain(log), { headIndex: SEGMENT + 500, broken: undefined })
  await log.close()
})
