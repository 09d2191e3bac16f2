// The death of the catch-up thread while a stream reads from it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { CATCH_UP, type CatchUpSource } from '../../../../http/stream/catch-up/source.js'
import { THREAD, ThreadCatchUp } from '../../../../http/stream/catch-up/thread-source.js'
import { temporaryFolder } from '../../../support/process.js'
import type { Line } from '../../../support/stream.js'
import { commit, event, read, streamServer } from '../streams.js'

const COMMITS = 300
/** Number of pieces from the first thread. */
const PIECES = 3

const indexesIn = (line: string): readonly number[] => {
  const { Index }: Line = JSON.parse(line)
  return Index === undefined ? [] : [Index]
}

test('a stream whose thread dies reports it after the sent messages, and another stream continues from there', async t => {
  const program = join(temporaryFolder(t), 'ends.mjs')
  writeFileSync(
    program,
    `import { parentPort } from 'node:worker_threads'
    import ${JSON.stringify(THREAD.href)}
    let asked = 0
    parentPort.on('message', ({ kind }) => { if (kind === 'next' && ++asked > ${PIECES}) process.exit() })`
  )
  const log = await SegmentEventLog.open({ path: temporaryFolder(t) })
  let lives = 0
  const server = await streamServer(t, {
    log,
    limits: { recentCommits: 1, batchBytes: 2048 },
    register: container =>
      container.registerInstance<CatchUpSource>(
        CATCH_UP,
        new ThreadCatchUp({
          path: log.path,
          share: 1,
          pieceBytes: 2048,
          newest: () => log.newestSegment,
          erasures: () => log.erasures,
          onDurable: listener => log.onDurable(listener),
          onDeath: () => t.fail('it ended by itself'),
          program: () => (lives++ === 0 ? pathToFileURL(program) : THREAD)
        })
      )
  })
  const from = server.app.views.index + 1
  for (let i = 0; i < COMMITS; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const last = from + COMMITS - 1

  const first = await read(t, server, `topic=KV&index=${from}`)
  const { Error: error, LastIndex: sent = 0 } = await first.last()
  t.is(error?.Code, 500)
  t.is(await first.end(), 'ended')
  t.true(sent > from && sent < last)
  const second = await read(t, server, `topic=KV&index=${sent + 1}`)
  await second.upTo(last)
  t.is(lives, 2)

  const seen = [...first.lines, ...second.lines].flatMap(indexesIn)
  t.deepEqual(
    seen,
    Array.from({ length: COMMITS }, (_, i) => from + i)
  )
})
