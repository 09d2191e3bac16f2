// Writes archives: of the state alone, or of the log with its history.
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import type { LogFiles, SignedFile } from '../../../actors/snapshot/log-files.js'
import type { Commit } from '../../../events/envelope.js'
import { historyErased } from '../../../events/erasure.js'
import { formatTime } from '../../../events/time.js'
import { logFolder, viewSettings, type Settings } from '../../../server/settings/settings.js'
import { META, metaOf, STATE, STATE_FORMAT, type StateHead, type Writer } from './format.js'
import { tarOf, withLogCopy } from './log-tar.js'
import { bytesOf, fileEntry, sumsEntry, textEntry, withChecksum } from './tar.js'
import { ThreadArchive } from './thread-archive.js'

/** Reads pages of commits from the first one at each call. */
type LogPages = () => AsyncIterable<readonly Commit[]>

/** Approximate number of characters in a chunk of the state. */
const CHUNK_CHARACTERS = 64 * 1024

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
      // A pruned log has fewer commits than its newest index.
      onCommit(++count)
      yield line({ Index: count, Time, By, Events: Events.length })
      for (const event of Events) yield line(event)
    }
}

/** Returns the bytes of the state in chunks, the same at each call. Other requests run between two chunks. */
async function* stateChunks(
  pages: LogPages,
  last: number,
  onCommit: OnCommit = () => {}
): AsyncGenerator<Buffer> {
  let text = ''
  for await (const piece of lines(pages, last, onCommit)) {
    text += piece
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
    await setImmediate()
  }
  yield Buffer.from(text)
}

interface ArchiveContent {
  /** Index of the last commit. */
  readonly index: number
  /** The state or the log, with its size in bytes. */
  readonly bytes: AsyncIterable<Buffer>
  readonly size: number
  /** Undefined for an unsigned archive. */
  readonly signed: SignedFile | undefined
}

const fill = async (
  archive: Pack,
  { index, bytes, size, signed }: ArchiveContent,
  by: Writer
): Promise<void> => {
  const meta = metaOf(index, size, by, signed?.vkey)
  await textEntry(archive, META, meta)
  const sum = createHash('sha256')
  await pipeline(withChecksum(bytes, sum), fileEntry(archive, STATE, size))
  await sumsEntry(archive, meta, sum.digest('hex'), signed)
  archive.finalize()
}

/** Sends an archive while it is being filled, as fast as `out` accepts it. */
const send = async (out: Writable, fillArchive: (archive: Pack) => Promise<void>): Promise<void> => {
  const archive = pack()
  await Promise.all([
    pipeline(archive, createGzip(), out),
    fillArchive(archive).catch(error => archive.destroy(error))
  ])
}

interface StateContent {
  readonly pages: LogPages
  /** Index of the last commit. */
  readonly last: number
  /** Undefined for an unsigned archive. */
  readonly signed: SignedFile | undefined
}

/** Writes the commits up to the index `last` as an archive. */
export const writeArchive = (
  { pages, last, signed }: StateContent,
  by: Writer,
  out: Writable
): Promise<void> =>
  send(out, async archive => {
    // A tar entry begins with its size.
    let size = 0
    let index = 0
    for await (const chunk of stateChunks(pages, last, count => (index = count))) {
      if (archive.destroyed) return
      size += chunk.length
    }
    await fill(archive, { index, size, bytes: stateChunks(pages, last), signed }, by)
  })

/** The origin of commits in a state archive. */
const By = { AccessorID: '', Address: '', RequestID: '', Command: 'SaveState' }

/**
 * Writes the last events of all existing resources in commits numbered from 1, and the erasures. A thread reads the log and holds the events.
 * @throws Refusal `too-large` if they do not fit into the memory of the thread
 */
export const writeState = async (
  settings: Settings,
  signed: SignedFile,
  by: Writer,
  out: Writable
): Promise<void> => {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  const task = {
    archive: undefined,
    folder: logFolder(settings.data_dir),
    encryptionKey: settings.encryption.key,
    settings: viewSettings(settings)
  }
  const state = await ThreadArchive.prove(task, gone.signal)
  const Time = formatTime(by.at)
  const pages = async function* (): AsyncGenerator<readonly Commit[]> {
    let Index = 0
    for await (const Events of state.events()) yield [{ Index: ++Index, Time, By, Events }]
    // A restore learns from the erasures that the resources are newer.
    if (state.erasures.length > 0) {
      const Events = state.erasures.map((erasure, number) =>
        historyErased(`${Index + 1}.${number + 1}`, erasure)
      )
      yield [{ Index: ++Index, Time, By, Events }]
    }
  }
  try {
    await writeArchive({ pages, last: Infinity, signed }, by, out)
  } finally {
    await state.close()
  }
}

/** Writes the current files of a log, so that a restored server continues the same log. Copies them below `folder` meanwhile. */
export const writeLogArchive = (log: LogFiles, folder: string, by: Writer, out: Writable): Promise<void> =>
  withLogCopy(log, folder, async (files, index) => {
    const signed = await log.signing()
    await send(out, archive => {
      const { size, bytes } = tarOf(files)
      return fill(archive, { index, size, bytes: bytesOf(bytes), signed }, by)
    })
  })
