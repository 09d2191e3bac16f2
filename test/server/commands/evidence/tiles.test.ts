// A log of 100,000 commits, read from its tiles and entry bundles by the library of Go's checksum database.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { LogEvidence } from '../../../../http/wire/log-evidence.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { buildChecker, missingSumdb } from '../../../support/go.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess } from '../../../support/server.js'

const run = promisify(execFile)

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

test('entries and tiles of a log of 100,000 commits hold for golang.org/x/mod/sumdb, and changed ones do not', async t => {
  t.timeout(600_000)
  if (await missingSumdb(t)) return
  const checker = await buildChecker(t, 'tile-checker')
  const dataDir = join(temporaryFolder(t), 'data')
  await write(dataDir)
  const server = await serverInProcess(t, { dataDir })
  const evidence = server.scope.resolve(LogEvidence).required
  const { size = 0 } = (await evidence.checkpoints.covering(COMMITS)) ?? {}
  t.true(size >= COMMITS)
  const read = (prefix: string): Promise<{ readonly stdout: string }> =>
    run(checker, [prefix, evidence.vkey, ROOT])
  const prefix = `${server.base}/v1/event`
  const { stdout } = await read(prefix)
  t.regex(stdout, /^10\d{4} entries have the root of the checkpoint, and are in the tiles\n$/)

  // It looks: a proxy changes a byte of one entry or tile.
  let changed = ''
  const pass = async ({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await fetch(prefix + url, { headers: { authorization: headers.authorization ?? '' } })
    const body = Buffer.from(await answer.arrayBuffer())
    if (url === changed) body[100] = (body[100] ?? 0) ^ 1
    response.writeHead(answer.status).end(body)
  }
  const proxy = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await once(proxy, 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : 0
  for (const [path, message] of [
    ['/tile/entries/100', /entry 25600: another hash/],
    ['/tile/0/200', /entry 51203: another hash|tiles: /]
  ] as const) {
    changed = path
    await t.throwsAsync(read(`http://127.0.0.1:${port}`), { message })
  }
})
