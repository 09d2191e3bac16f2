// A really full disk: a small tmpfs where mounting is allowed, and a limit on file sizes everywhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import test from 'ava'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { verifyChain } from '../../events/log/verify.js'
import { collect } from './commits.js'
import { childScript, run, temporaryFolder } from './folders.js'
import type { Filled } from './log-child.js'

/** Compares the acknowledgements of the child with its log. */
async function compare(t: ExecutionContext, path: string, outcome: Filled): Promise<void> {
  const log = await SegmentEventLog.open({ path })
  const kept = (await collect(log.read(1))).map(({ Index, By, Events }): [number, string] => {
    t.is(Events[0]?.Secrets?.['SecretID'], By.RequestID)
    return [Index, By.RequestID]
  })
  t.true(outcome.refused.length > 0)
  t.true(outcome.refusedWhileFailed)
  t.true(outcome.recoveries > 0)
  t.is(log.durableIndex, outcome.durableIndex)
  t.deepEqual(kept, outcome.acknowledged)
  t.like(await verifyChain(log), { headIndex: outcome.durableIndex, broken: undefined })
  const found = await collect(
    log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-3' })
  )
  t.deepEqual(
    found.map(c => c.Index),
    [3]
  )
  await log.close()
}

test('files that may not grow: appends fail, none of them is kept, and appends succeed again when they may', async t => {
  const path = temporaryFolder()
  const child = run(
    'bash',
    '-c',
    `ulimit -S -f 3000; exec "$0" "$@"`,
    process.execPath,
    childScript,
    'fill',
    path
  )
  const outcome = await child.line<Filled>()
  await child.ended
  t.log(
    `${outcome.acknowledged.length} acknowledged, ${outcome.refused.length} refused: ${outcome.errors.join('; ')}`
  )
  t.true(outcome.acknowledged.length > 300)
  await compare(t, path, outcome)
})

test('a full disk: appends fail, none of them is kept, and appends succeed again when there is space', async t => {
  const disk = temporaryFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status === 0
  if (!mounted) {
    t.log('mounting a tmpfs is not allowed here: the limit on the size of files stands in for the full disk')
    t.pass()
    return
  }
  try {
    const path = join(disk, 'log')
    const ballast = join(disk, 'ballast')
    mkdirSync(path)
    writeFileSync(ballast, Buffer.alloc(3 * 1024 * 1024))
    const child = run(process.execPath, childScript, 'fill', path, 'remove', ballast)
    const outcome = await child.line<Filled>()
    await child.ended
    t.log(
      `${outcome.acknowledged.length} acknowledged, ${outcome.refused.length} refused: ${outcome.errors.join('; ')}`
    )
    t.true(outcome.acknowledged.length > 100)
    await compare(t, path, outcome)
  } finally {
    // Something may still look at the disk for a moment; lazily unmounted, it goes when that ends.
    if (spawnSync('umount', [disk]).status !== 0) spawnSync('umount', ['-l', disk])
  }
})
