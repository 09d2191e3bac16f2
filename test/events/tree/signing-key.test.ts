// The key that signs checkpoints: made once, sealed as secrets are, and never written down when it is given.
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { LogUnusable } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { evidenceOf } from '../../support/evidence.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { commitOf } from '../commits.js'

/** The key of the log in a folder, which is sealed with `key` if that is given. */
const seedIn = async (disk: SimulatedDisk, key?: Buffer): Promise<Buffer> => {
  const log = await SegmentEventLog.open({ path: disk.path, disk, key })
  try {
    return await log.signingKey()
  } finally {
    await log.close()
  }
}

const contentOf = (disk: SimulatedDisk): string => disk.content('signing-key')?.toString() ?? ''

test('it is made once, and sealed as soon as there is a key for that', async t => {
  const disk = new SimulatedDisk()
  const key = randomBytes(32)
  const seed = await seedIn(disk)
  t.is(seed.length, 32)
  t.deepEqual(await seedIn(disk), seed)
  const bare = contentOf(disk)
  t.deepEqual(await seedIn(disk, key), seed)
  t.not(contentOf(disk), bare)
  t.false(contentOf(disk).includes(seed.toString('base64').slice(8, 32)))
  t.deepEqual(await seedIn(disk, key), seed)
})

test('a damaged key and one of another log are errors', async t => {
  const disk = new SimulatedDisk()
  const key = randomBytes(32)
  await seedIn(disk, key)
  const foreign = new SimulatedDisk()
  await seedIn(foreign, key)
  disk.put('signing-key', Buffer.from(contentOf(foreign)))
  await t.throwsAsync(seedIn(disk, key), {
    instanceOf: LogUnusable,
    message: /signing-key cannot be used: .*or remove it/
  })
  disk.put('signing-key', Buffer.from('{}'))
  await t.throwsAsync(seedIn(disk, key), { instanceOf: LogUnusable, message: /it is damaged/ })
})

test('one that is given signs, and is not written down', async t => {
  const disk = new SimulatedDisk()
  const log = await SegmentEventLog.open({ path: disk.path, disk })
  const given = randomBytes(32).toString('base64')
  const one = await evidenceOf(log, given)
  await log.append([commitOf(1)])
  await one.checkpoints.covering(1)
  await one.close()
  t.is(disk.content('signing-key'), undefined)
  const other = await evidenceOf(log)
  t.not(other.vkey, one.vkey)
  t.true(other.checkpoints.newest?.text.startsWith(`annals/${log.identity.id}/1\n1\n`))
  t.not(other.checkpoints.newest?.text, one.checkpoints.newest?.text)
  await other.close()
  await log.close()
})
