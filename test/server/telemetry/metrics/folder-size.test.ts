import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { FolderSize } from '../../../../server/observe.js'
import { temporaryFolder } from '../../../support/process.js'
import { SetClock } from '../../../../library/testing/set-clock.js'

test('all files below a folder count, looked at once in ten seconds', async t => {
  const folder = join(temporaryFolder(t), 'log')
  const clock = new SetClock({ runs: false })
  const size = new FolderSize(folder, clock)
  t.is(await size.bytes(), 0)
  mkdirSync(join(folder, 'inner'), { recursive: true })
  for (const name of ['one', 'inner/two']) writeFileSync(join(folder, name), Buffer.alloc(8192, 1))
  clock.advance(9999)
  t.is(await size.bytes(), 0)
  clock.advance(1)
  t.true((await size.bytes()) >= 16_384)
})
