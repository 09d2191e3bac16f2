// The tree of a log on disk: fed as commits become durable, found again after a crash, and never taken for another log's.
import test from 'ava'
import { isConsistent, isIncluded } from '../../../events/log/evidence/merkle.js'
import { LogUnusable } from '../../../events/log/log.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { repair } from '../../../events/log/segments/repair.js'
import type { StoredLog } from '../../../events/log/stored-log.js'
import { evidenceOf, verifiedHead, type TestEvidence } from '../../support/evidence.js'
import { seeded } from '../../support/random.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { commitOf } from '../commits.js'

const SEGMENT = 1024 * 1024

const open = (disk: SimulatedDisk): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: disk.path, disk, segmentBytes: SEGMENT })

const append = async (log: StoredLog, count: number, size = 20): Promise<void> => {
  const first = log.durableIndex + 1
  await log.append(Array.from({ length: count }, (_, i) => commitOf(first + i, { size })))
}

/** The life of a server that writes so many commits. */
const live = async (disk: SimulatedDisk, count: number): Promise<void> => {
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  await append(log, count)
  await evidence.close()
  await log.close()
}

/** Proves every commit that the log has by the newest checkpoint. */
const proveAll = async (log: StoredLog, { tree, checkpoints, vkey }: TestEvidence): Promise<void> => {
  const checkpoint = await checkpoints.covering(log.durableIndex)
  const head = verifiedHead(checkpoint?.text ?? '', vkey)
  for await (const page of log.records(log.firstIndex))
    for (const { index, hash } of page)
      if (!isIncluded({ index: index - 1, hash }, head, await tree.tree.inclusion(index - 1, head.size)))
        throw new Error(`commit ${index} is not in the tree of ${head.size}`)
}

/** Copies what is durable in a folder to that of another disk. */
const copyFolder = (from: SimulatedDisk, to: SimulatedDisk, names: readonly string[]): void => {
  for (const name of names) {
    const content = from.content(name)
    if (content) to.put(name, Buffer.from(content))
  }
}

test('every commit is in the tree, whether its hash arrived or is read', async t => {
  const log = new MemoryEventLog()
  await append(log, 300)
  const evidence = await evidenceOf(log)
  await append(log, 700)
  await proveAll(log, evidence)
  t.is(evidence.tree.size, 1000)
  t.is(evidence.checkpoints.newest?.size, 1000)
  await evidence.close()
})

test('a tree resumes after a shutdown or crash, and reads only commits without a checkpoint', async t => {
  const disk = new SimulatedDisk()
  await live(disk, 600)
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  const older = verifiedHead(evidence.checkpoints.newest?.text ?? '', evidence.vkey)
  t.is(older.size, 600)
  await append(log, 600)
  await evidence.checkpoints.covering(1200)
  await append(log, 3)
  const crashed = disk.killed()
  await evidence.close()
  await log.close()

  const again = await open(crashed)
  const { tree } = await again.openTree()
  const { size = 0, behind = 0 } = tree ?? {}
  t.true(size >= 1200)
  t.is(size + behind, 1203)
  await tree?.close()
  const reopened = await evidenceOf(again)
  await proveAll(again, reopened)
  const newer = verifiedHead(reopened.checkpoints.newest?.text ?? '', evidence.vkey)
  t.is(newer.size, 1203)
  t.true(isConsistent(older, newer, await reopened.tree.tree.consistency(older.size, newer.size)))
  await reopened.close()
  await again.close()
})

test('who only reads has the same tree, and changes nothing', async t => {
  const disk = new SimulatedDisk()
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  await append(log, 400)
  await evidence.checkpoints.covering(400)
  await append(log, 100)
  const copy = disk.killed()
  const folder = copy.folder('tree')
  const before = [await folder.list(), folder.content('level-0')?.length]
  const reader = await SegmentEventLog.open({ path: copy.path, disk: copy, readOnly: true })
  const { tree, checkpoints } = await reader.openTree()
  t.true((checkpoints?.newest?.size ?? 0) >= 400)
  await tree?.catchUp()
  t.is(tree?.size, 500)
  await tree?.keep()
  t.deepEqual([await folder.list(), folder.content('level-0')?.length], before)
  const root = await tree?.tree.rootAt(500)
  await tree?.close()
  await reader.close()
  t.deepEqual(verifiedHead((await evidence.checkpoints.covering(500))?.text ?? '', evidence.vkey).root, root)
  await evidence.close()
  await log.close()
})

for (const [what, spoil] of [
  ['are gone', (folder: SimulatedDisk) => folder.remove('level-0')],
  ['were changed', (folder: SimulatedDisk) => void folder.content('level-0')?.fill(7)],
  ['were cut', (folder: SimulatedDisk) => folder.put('level-0', Buffer.alloc(32 * 10))]
] as const)
  test(`hashes that ${what} are recomputed from the records and reported`, async t => {
    const disk = new SimulatedDisk()
    await live(disk, 500)
    spoil(disk.folder('tree'))
    const log = await open(disk)
    const evidence = await evidenceOf(log)
    t.regex(
      evidence.lines.join('\n'),
      /do not fit the checkpoint of 500 commits there, and are made again from commit 1 on/
    )
    await proveAll(log, evidence)
    await evidence.close()
    await log.close()
  })

test('a log that is not the one that was signed is not opened', async t => {
  const disk = new SimulatedDisk()
  await live(disk, 300)
  const [one, other] = [disk.killed(), disk.killed()]
  await live(one, 5)
  await live(other, 5)
  const names = await one.folder('tree').list()
  copyFolder(one.folder('tree'), other.folder('tree'), names)
  const changed = await open(other)
  await t.throwsAsync(evidenceOf(changed), {
    instanceOf: LogUnusable,
    message:
      /is not the one of which a checkpoint of 305 commits was signed, .*: one of these commits was changed, or the checkpoint was, .*repair/
  })
  await changed.close()

  copyFolder(one.folder('tree'), disk.folder('tree'), names)
  const cut = await open(disk)
  await t.throwsAsync(evidenceOf(cut), {
    instanceOf: LogUnusable,
    message: /of 305 commits was signed, .*: the log has 300;/
  })
  await cut.close()
})

test('a log that was cut on purpose signs under another name, and its tree has what was kept', async t => {
  const disk = new SimulatedDisk()
  await live(disk, 500)
  const before = await open(disk)
  const { incarnation } = before.identity
  await before.close()
  await repair(disk, { to: 290, time: '2026-01-02T03:04:05Z', confirm: async () => true })
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  t.deepEqual(evidence.lines, [])
  await append(log, 300)
  await proveAll(log, evidence)
  t.true(log.identity.incarnation > incarnation)
  t.is(
    verifiedHead(evidence.checkpoints.newest?.text ?? '', evidence.vkey).origin,
    `annals/${log.identity.id}/${log.identity.incarnation}`
  )
  await evidence.close()
  await log.close()
})

test('pruned commits are proved by their hashes, which are stored before the pruning', async t => {
  const disk = new SimulatedDisk()
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  for (let i = 0; i < 30; i++) await append(log, 1, 150_000)
  const { hash } = await log.provedRecord(1)
  const upTo = (await log.prunableSegments()).at(-1)?.last ?? 0
  await log.bases({ program: '1.0.0', form: 1 }).write(upTo, [])
  await log.prune(upTo)
  t.true((evidence.checkpoints.newest?.size ?? 0) >= upTo)
  const crashed = disk.killed()
  await evidence.close()
  await log.close()

  const again = await open(crashed)
  t.is(again.firstIndex, upTo + 1)
  const reopened = await evidenceOf(again)
  const head = verifiedHead(reopened.checkpoints.newest?.text ?? '', reopened.vkey)
  t.true(isIncluded({ index: 0, hash }, head, await reopened.tree.tree.inclusion(0, head.size)))
  await reopened.close()
  await again.close()

  crashed.folder('tree').remove('level-0')
  const lacking = await open(crashed)
  await t.throwsAsync(evidenceOf(lacking), {
    instanceOf: LogUnusable,
    message: /were pruned, do not fit .*put the folder back from a backup/
  })
  for (const name of await crashed.folder('tree').list()) crashed.folder('tree').remove(name)
  t.is((await lacking.openTree()).tree, undefined)
  await lacking.close()
})

test('a record whose bytes were changed is not served, though its checksums hold', async t => {
  const log = new MemoryEventLog()
  await append(log, 3)
  const hash = (await log.provedRecord(2)).hash
  log.useHashes({ hashOf: async () => hash, keep: async () => {} })
  t.is((await log.provedRecord(2)).index, 2)
  for (const read of [
    () => log.provedRecord(1),
    () => log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-1' }).next(),
    () =>
      log
        .history(
          { topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-1' },
          { newestFirst: true }
        )
        .next()
  ])
    await t.throwsAsync(read, {
      instanceOf: LogUnusable,
      message: 'commit 1 was changed: its hash is not the one that the tree has'
    })
})

test('power that fails at any call leaves a tree that is right, and no checkpoint that is not', async t => {
  const random = seeded(19)
  const states: SimulatedDisk[] = []
  const disk: SimulatedDisk = new SimulatedDisk('/simulated', {
    after: () => void (random.below(8) === 0 && states.push(disk.powerLoss(random)))
  })
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  for (let i = 0; i < 12; i++) {
    await append(log, 1 + random.below(90))
    await evidence.checkpoints.covering(log.durableIndex)
  }
  const newest = verifiedHead(evidence.checkpoints.newest?.text ?? '', evidence.vkey)
  await evidence.close()
  for (const state of states) {
    const again = await open(state)
    const reopened = await evidenceOf(again)
    t.deepEqual(reopened.lines, [])
    if (again.durableIndex > 0) await proveAll(again, reopened)
    const { text } = reopened.checkpoints.newest ?? {}
    const older = text === undefined ? undefined : verifiedHead(text, reopened.vkey)
    if (older)
      t.true(isConsistent(older, newest, await evidence.tree.tree.consistency(older.size, newest.size)))
    await reopened.close()
    await again.close()
  }
  await log.close()
  t.true(states.length > 10)
})
