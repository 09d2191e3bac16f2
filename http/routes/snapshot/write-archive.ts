// Writes the log up to one index as an archive, while others are served.
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import type { Commit } from '../../../events/envelope.js'
import type { SignedFile } from '../../../actors/snapshot/log-files.js'
import { META, STATE, STATE_FORMAT, type StateHead } from './format.js'
import { metaOf, type Writer } from './meta.js'
import { withChecksum } from './with-checksum.js'
import { fileEntry, sumsEntry, textEntry } from './tar.js'

/** Reads pages of commits from the first one at each call. */
type LogPages = () => AsyncIterable<readonly Commit[]>

/** The state is written in pieces of about so many characters. */
const PIECE_CHARACTERS = 64 * 1024

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Called with the number of each written commit. */
type OnCommit = (count: number) => void

async function* lines(pages: LogPages, last: number, onCommit: OnCommit): AsyncGenerator<string> {
  const head: StateHead = { Annals: STATE_FORMAT }
  yield line(head)
  let count = 0
  for await (const page of pages())
    for (const { Index, Time, By, Events } of page) {
      if (Index > last) return
      // A log that has let commits go has fewer than its newest index says.
      onCommit(++count)
      yield line({ Index: count, Time, By, Events: Events.length })
      for (const event of Events) yield line(event)
    }
}

/** Returns the bytes of the state in chunks, the same at each call. Other requests run between two chunks. */
async function* state(pages: LogPages, last: number, onCommit: OnCommit = () => {}): AsyncGenerator<Buffer> {
  let text = ''
  for await (const piece of lines(pages, last, onCommit)) {
    text += piece
    if (text.length < PIECE_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
    await setImmediate()
  }
  yield Buffer.from(text)
}

/** What is written. */
interface Written {
  readonly pages: LogPages
  /** Index of the last commit. */
  readonly last: number
  /** Undefined where nothing signs. */
  readonly signed: SignedFile | undefined
}

const fill = async (archive: Pack, { pages, last, signed }: Written, by: Writer): Promise<void> => {
  // A tar says how large an entry is before its content.
  let Size = 0
  let Index = 0
  for await (const chunk of state(pages, last, count => (Index = count))) {
    if (archive.destroyed) return
    Size += chunk.length
  }
  const metaText = metaOf(Index, Size, by, signed?.vkey)
  await textEntry(archive, META, metaText)
  const sum = createHash('sha256')
  await pipeline(withChecksum(state(pages, last), sum), fileEntry(archive, STATE, Size))
  await sumsEntry(archive, metaText, sum.digest('hex'), signed)
  archive.finalize()
}

/** Writes the commits up to the index `last` as an archive, as fast as `out` takes it. */
export const writeArchive = async (written: Written, by: Writer, out: Writable): Promise<void> => {
  const archive = pack()
  await Promise.all([
    pipeline(archive, createGzip(), out),
    fill(archive, written, by).catch(error => archive.destroy(error))
  ])
}
