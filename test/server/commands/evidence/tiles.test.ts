// A log of 100,000 commits, read from its tiles and entry bundles by the library of Go's checksum database, and by tessera and torchwood.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { LogEvidence } from '../../../../http/wire/log-evidence.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { buildChecker, missingSumdb, missingUnstable } from '../../../support/go.js'
import { fileScope } from '../../../support/file-scope.js'
import { startHttpProxy } from '../../../support/http-proxy.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess } from '../../../support/server.js'

const run = promisify(execFile)
const scope = fileScope(test, 'the server with the log')

const COMMITS = 100_000
const BATCH = 1000

const commitOf = (index: number): Commit => {
  const Key = `services/web/${index % 1000}`
  const KV = { LockIndex: 0, Key, Flags: 0, Value: 'ODA4MA==', CreateIndex: index, ModifyIndex: index }
  const tenancy = { Namespace: 'default', Partition: 'default' }
  return {
    Index: index,
    Time: new Date(1_790_000_000_000 + index).toISOString(),
    By: { AccessorID: '', Address: '127.0.0.1', RequestID: '', Command: 'SetKey' },
    Events: [{ Topic: 'KV', Type: 'KVSet', Key, ...tenancy, FilterKeys: null, Payload: { KV } }]
  }
}

/** Writes the log of a server. */
async function write(dataDir: string): Promise<void> {
  const log = await SegmentEventLog.open({ path: logFolder(dataDir) })
  for (let first = 1; first <= COMMITS; first += BATCH)
    await log.append(Array.from({ length: BATCH }, (_, i) => commitOf(first + i)))
  await log.close()
}

interface ServedLog {
  readonly prefix: string
  readonly vkey: string
}

let served: Promise<ServedLog> | undefined

/** Serves the log to all tests of this file. */
const serveLog = (): Promise<ServedLog> =>
  (served ??= (async () => {
    const dataDir = join(temporaryFolder(scope), 'data')
    await write(dataDir)
    const server = await serverInProcess(scope, { dataDir })
    const { checkpoints, vkey } = server.scope.resolve(LogEvidence).required
    await checkpoints.covering(COMMITS)
    return { prefix: `${server.base}/v1/event`, vkey }
  })())

/** Serves the log with a changed byte in one file. @returns the prefix of its files */
const tampered = (t: ExecutionContext, prefix: string, path: string): Promise<string> =>
  startHttpProxy(t, prefix, (url, _, body) => {
    if (url === path) body[100] = (body[100] ?? 0) ^ 1
    return false
  })

type Changed = readonly (readonly [path: string, message: RegExp])[]

/** Has a program read the log, which holds, and the log with changed files, which does not. */
const readLog = async (
  t: ExecutionContext,
  checker: string,
  holds: RegExp,
  changed: Changed
): Promise<void> => {
  const { prefix, vkey } = await serveLog()
  const read = (from: string): Promise<{ readonly stdout: string }> => run(checker, [from, vkey, ROOT])
  const { stdout } = await read(prefix)
  t.regex(stdout, holds)
  for (const [path, message] of changed)
    await t.throwsAsync(read(await tampered(t, prefix, path)), { message }, path)
}

test.serial(
  'golang.org/x/mod/sumdb reads 100,000 entries and their tiles, and finds changed ones',
  async t => {
    t.timeout(600_000)
    if (await missingSumdb(t)) return
    await readLog(
      t,
      await buildChecker(t, 'tile-checker'),
      /^10\d{4} entries have the root of the checkpoint, and are in the tiles\n$/,
      [
        ['/tile/entries/100', /entry 25600: another hash/],
        ['/tile/0/200', /entry 51203: another hash|tiles: /]
      ]
    )
  }
)

test.serial('tessera and torchwood read 100,000 entries and their tiles, and find changed ones', async t => {
  t.timeout(600_000)
  if (missingUnstable(t)) return
  await readLog(
    t,
    await buildChecker(t, 'tlog-checker', { suite: 'unstable' }),
    /^fsck holds, Entries reads 99840, AllEntries reads 10\d{4}\n$/,
    [
      ['/tile/entries/100', /fsck: /],
      ['/tile/0/200', /fsck: /]
    ]
  )
})
