// A base that another server has made of the same log.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { UnsoundSnapshot } from '../../../events/log/snapshots/format.js'
import { SegmentEventLog } from '../../../events/log/segments/log.js'
import { commitOf } from '../commits.js'
import { temporaryFolder } from '../folders.js'

const MAKER = { program: '1', form: 1 }

test('a base that another server has made is taken as the log tells of it, and no other', async t => {
  const [one, other] = [temporaryFolder(), temporaryFolder()]
  const first = await SegmentEventLog.open({ path: one })
  await first.append([commitOf(1), commitOf(2)])
  const digest = await first.bases(MAKER).write(2, [{ part: 'things', rows: '[1,2]' }])
  const path = await first.bases(MAKER).soundPath(2)
  t.is(path, join(one, 'base', '0000000000000002-1.base'))
  await first.copyTo(other)
  const second = await SegmentEventLog.open({ path: other })
  const bases = second.bases(MAKER)
  await bases.keepOnly(0)
  t.is(await bases.soundPath(2), undefined)
  const bytes = readFileSync(path ?? '')
  await t.throwsAsync(bases.take(2, 'ab'.repeat(32), bytes), { instanceOf: UnsoundSnapshot })
  await t.throwsAsync(bases.take(2, digest, bytes.subarray(0, -40)), { instanceOf: UnsoundSnapshot })
  t.deepEqual(await bases.indexes(), [])
  await bases.take(2, digest, bytes)
  t.deepEqual(await bases.check(2, { repair: false }), { digest, repaired: [] })
  t.true(await bases.isSound(2))
  await first.close()
  await second.close()
})
