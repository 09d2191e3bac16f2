// A base that another server has made of the same log.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import test from 'ava'
import { DamagedSnapshot } from '../../../events/log/snapshots/format.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { commitOf } from '../commits.js'
import { temporaryFolder } from '../folders.js'

async function* inPieces(bytes: Buffer, failure?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50) yield bytes.subarray(at, at + 50)
  if (failure) throw failure
}

const MAKER = { program: '1', form: 1 }

test('a base that another server has made is taken as the log tells of it, and no other', async t => {
  const [one, other] = [temporaryFolder(), temporaryFolder()]
  const first = await SegmentEventLog.open({ path: one })
  await first.append([commitOf(1), commitOf(2)])
  const digest = await first.bases(MAKER).write(2, [{ part: 'rows', rows: '[1,2]' }])
  const bytes = await buffer((await first.bases(MAKER).soundPieces(2)) ?? inPieces(Buffer.alloc(0)))
  t.deepEqual(bytes, readFileSync(join(one, 'base', '0000000000000002-1.base')))
  await first.copyTo(other)
  const second = await SegmentEventLog.open({ path: other })
  const bases = second.bases(MAKER)
  rmSync(join(other, 'base'), { recursive: true })
  t.is(await bases.soundPieces(2), undefined)
  const short = bytes.subarray(0, -40)
  const failure = new Error('it broke off')
  const takeOthers = async (): Promise<void> => {
    await t.throwsAsync(bases.take(2, 'ab'.repeat(32), inPieces(bytes)), { instanceOf: DamagedSnapshot })
    await t.throwsAsync(bases.take(2, digest, inPieces(short)), { instanceOf: DamagedSnapshot })
    await t.throwsAsync(bases.take(2, digest, inPieces(short, failure)), { is: failure })
  }
  await takeOthers()
  t.deepEqual(readdirSync(join(other, 'base')), [])
  await bases.take(2, digest, inPieces(bytes))
  await takeOthers()
  t.deepEqual(await bases.check(2, { repair: false }), { digest, repaired: [] })
  t.is(readdirSync(join(other, 'base')).length, 2)
  t.true(await bases.isSound(2))
  await bases.keepOnly(1)
  t.deepEqual(await bases.indexes(), [2], 'none are removed in favour of one that is not here')
  await first.close()
  await second.close()
})
