import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import test from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import { writeArchive } from '../../../../http/routes/snapshot/write-archive.js'

/** Commits that are no smaller when compressed. */
async function* pages(count: number): AsyncIterable<readonly Commit[]> {
  for (let Index = 1; Index <= count; Index++) {
    const RequestID = randomBytes(300_000).toString('base64')
    const By = { AccessorID: '', Address: '', RequestID, Command: '' }
    yield [{ Index, Time: '', By, Events: [] }]
  }
}

const by = { id: 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55', address: '127.0.0.1:8300', at: 0 }

test('a reader who goes away before the end breaks off the writing, and nothing else', async t => {
  const reader = new Writable({ highWaterMark: 1, write: () => void setImmediate(() => reader.destroy()) })
  await t.throwsAsync(writeArchive({ pages: () => pages(20), last: 20, signed: undefined }, by, reader), {
    code: 'ERR_STREAM_PREMATURE_CLOSE'
  })
  // What is thrown later than that would end this process.
  for (let turns = 50; turns > 0; turns--) await new Promise(setImmediate)
})
