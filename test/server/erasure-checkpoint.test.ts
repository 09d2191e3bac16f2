// What a start reads again of the log for orders that were carried out before.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { allErased } from '../support/erasures.js'
import { filesWith } from '../support/files-with.js'
import { temporaryFolder } from '../support/process.js'
import { serverInProcess } from '../support/server.js'

const SAID = 'what-a-customer-said'
const FILLER = 'x'.repeat(100_000)

/** Runs a server until it has erased what it was ordered to. @returns from which commits on it read for orders, in their order */
const readsOf = async (t: ExecutionContext, dataDir: string): Promise<readonly number[]> => {
  const log = await SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: 1024 * 1024 })
  const reads: number[] = []
  const records = log.records.bind(log)
  const server = await serverInProcess(t, {
    dataDir,
    log,
    register: () => {
      log.records = from => {
        reads.push(from)
        return records(from)
      }
    }
  })
  await allErased(server)
  await server.close()
  return reads
}

/** A data folder of several segments, with an order by prefix of which one has what it erases. */
const erased = async (t: ExecutionContext) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const log = await SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: 1024 * 1024 })
  const server = await serverInProcess(t, { dataDir, log })
  const send = async (body: object): Promise<void> => {
    const { status, text } = await server.send('POST', '/v1/event/erase', {
      body: { Reason: 'request', ...body }
    })
    t.is(status, 200, text)
  }
  await server.send('PUT', '/v1/kv/customers/1', { body: SAID })
  await server.send('PUT', '/v1/kv/customers/1', { body: 'later' })
  for (let i = 0; i < 30; i++) await server.send('PUT', '/v1/kv/filler', { body: `${i}${FILLER}` })
  const [first = ''] = readdirSync(join(dataDir, 'log'))
    .filter(name => name.endsWith('.seg'))
    .toSorted()
  const before = join(temporaryFolder(t), 'before')
  copyFileSync(join(dataDir, 'log', first), before)
  await send({ Topic: 'KV', Prefix: 'customers/', Scope: 'history' })
  await allErased(server)
  await server.close()
  t.deepEqual(filesWith(dataDir, [SAID]), [])
  return { dataDir, file: join(dataDir, 'log', first), before }
}

test('an order that was carried out is read for again only in the newest file, and in one that was put back', async t => {
  const { dataDir, file, before } = await erased(t)
  const newest = Math.max(
    ...readdirSync(join(dataDir, 'log')).flatMap(name =>
      name.endsWith('.seg') ? [Number(name.slice(0, 16))] : []
    )
  )
  const reads = await readsOf(t, dataDir)
  t.true(reads.length > 0)
  t.true(
    reads.every(from => from >= newest),
    String(reads)
  )
  copyFileSync(before, file)
  t.not(filesWith(dataDir, [SAID]).length, 0)
  t.true((await readsOf(t, dataDir)).includes(1))
  t.deepEqual(filesWith(dataDir, [SAID]), [])
})

for (const [damage, change] of Object.entries({
  torn: (text: string) => text.slice(0, text.length / 2),
  foreign: (text: string) => text.replace(/"Incarnation":\d+/, '"Incarnation":77')
}))
  test(`a mark that is ${damage} counts for nothing: all is read again`, async t => {
    const { dataDir } = await erased(t)
    const mark = join(dataDir, 'erased.json')
    writeFileSync(mark, change(readFileSync(mark, 'utf8')))
    t.true((await readsOf(t, dataDir)).includes(1))
  })
