import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import test from 'ava'
import type { Commit } from '../../../events/envelope.js'
import { writeArchive } from '../../../http/snapshot/archive.js'

/** Commits that are no smaller when compressed. */
async function* commits(count: number): AsyncIterable<Commit> {
  for (let Index = 1; Index <= count; Index++) {
    const RequestID = randomBytes(300_000).toString('base64')
    const By = { AccessorID: '', Address: '', RequestID, Command: '' }
    yield { Index, Time: '', By, Events: [] }
  }
}

test('a reader who goes away before the end breaks off the writing, and nothing else', async t => {
  const reader = new Writable({ highWaterMark: 1, write: () => void setImmediate(() => reader.destroy()) })
  await t.throwsAsync(writeArchive(commits(20), 20, reader), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  await new Promise(resolve => setTimeout(resolve, 20))
})
