// A log that has let commits go is proved from the first one on all the same, by the hashes that it keeps.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { SegmentEventLog } from '../../../../events/log/segments/log.js'
import { LogEvidence } from '../../../../http/program/log-evidence.js'
import { annals } from '../../../support/command-line.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const VALUE = 'x'.repeat(100_000)

test('what was kept of commits that are gone is proved, and what is left is evidence', async t => {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  const path = join(dataDir, 'log')
  const start = async (config = {}): Promise<TestServer> => {
    const log = await SegmentEventLog.open({ path, segmentBytes: 1024 * 1024 })
    return serverInProcess(t, { dataDir, log, config })
  }
  const server = await start()
  for (let i = 0; i < 10; i++) await server.send('PUT', `/v1/kv/key-${i}`, { body: 'first' })
  const evidence = server.scope.resolve(LogEvidence).required
  const old = await evidence.checkpoints.covering(server.app.views.index)
  const kept = join(folder, 'old.checkpoint')
  writeFileSync(kept, old?.text ?? '')
  for (let i = 0; i < 40; i++) await server.send('PUT', `/v1/kv/key-${i % 3}`, { body: `${i}${VALUE}` })
  await server.close()
  const retaining = await start({ log: { level: 'silent', retain: { commits: 10 } } })
  await until('the oldest commits are gone', () => retaining.app.log.firstIndex > (old?.size ?? 0) + 1)
  await retaining.close()
  const { firstIndex } = retaining.app.log

  const known = ['--key', evidence.vkey, '--checkpoint', kept]
  const proved = await annals(['log', 'verify', '--data-dir', dataDir, ...known])
  t.is(proved.code, 0, proved.errors)
  t.true(proved.output.includes(`commits 1 to ${old?.size} are those of the checkpoint of`), proved.output)

  const bundle = await annals(['log', 'export', '--evidence', '--data-dir', dataDir, '--checkpoint', kept])
  t.is(bundle.code, 0, bundle.errors)
  const checked = await annals(['evidence', 'verify', '-', ...known], {}, bundle.output)
  t.is(checked.code, 0, checked.errors)
  t.regex(checked.output, new RegExp(`^from commit ${firstIndex} to commit \\d+ none is missing$`, 'm'))
  const gone = await annals(['log', 'export', '--evidence', '--data-dir', dataDir, '--from', '1'])
  t.is(gone.code, 1)
  t.true(gone.errors.includes(`the oldest is ${firstIndex}`), gone.errors)

  // As it is where commits went before there were trees.
  rmSync(join(path, 'tree'), { recursive: true })
  const bare = await annals(['log', 'verify', '--data-dir', dataDir])
  t.is(bare.code, 0, bare.errors)
  t.regex(bare.output, /\nno tree: commits went before the hashes of all of them were kept\n/)
  const unproved = await annals(['log', 'verify', '--data-dir', dataDir, ...known])
  t.is(unproved.code, 1)
  t.regex(unproved.errors, /nothing can be compared/)
})
