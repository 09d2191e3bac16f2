// `annals log import`: makes a log of an export that has the secrets.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import { SegmentEventLog } from '../../events/log/segments/log.js'
import type { Settings } from '../settings/settings.js'
import { type Console, UsageError } from './console.js'
import {
  commitLine,
  LinesDigest,
  readCommit,
  readHeader,
  readTrailer,
  type ExportHeader
} from './export-lines.js'
import { linesOf } from './lines.js'
import { makeLog } from './new-log.js'
import { keyOf } from './open-log.js'
import { withProgress } from './progress.js'
import { proveReplay } from './prove-replay.js'

/** Bytes of a line: more than any commit has. */
const LONGEST_LINE = 256 * 1024 * 1024
/** Commits that are appended together end with the one by which they have so many characters, or are so many. */
const GROUP_CHARACTERS = 512 * 1024
const GROUP_COMMITS = 1000

const parse = (text: string, number: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`line ${number} of the export is no JSON: the file is damaged, or was cut`)
  }
}

/** The header of a file of which a log can be made. @throws UsageError */
const headerOf = (text: string): ExportHeader => {
  const header = readHeader(parse(text, 1))
  if (!header) throw new UsageError('line 1 is not the header of an export that this version reads')
  if (!header.Secrets)
    throw new UsageError(
      'the export has no secrets, without which tokens cannot be used: export it with --with-secrets'
    )
  if (header.From !== 1)
    throw new UsageError(
      `the export begins with commit ${header.From}: a log is only made of one that begins with commit 1`
    )
  return header
}

/** The commits of an export between header and trailer, each checked; in the end the trailer as well. @throws UsageError */
class ExportReader {
  readonly #lines: AsyncGenerator<string>
  readonly #digest = new LinesDigest()
  #number = 1

  constructor(source: AsyncIterable<Buffer | string>) {
    this.#lines = linesOf(source, LONGEST_LINE)
  }

  async header(): Promise<ExportHeader> {
    const first = await this.#lines.next()
    if (first.done) throw new UsageError('the export is empty')
    this.#digest.add(first.value)
    return headerOf(first.value)
  }

  async *commits({
    HeadIndex
  }: ExportHeader): AsyncGenerator<{ readonly commit: Commit; readonly size: number }> {
    for await (const text of this.#lines) {
      const value = parse(text, ++this.#number)
      const index = this.#number - 1
      const trailer = readTrailer(value)
      if (trailer) {
        if (trailer.Commits !== index - 1 || trailer.SHA256 !== this.#digest.end())
          throw new UsageError(
            'the last line of the export does not fit the lines before it: the file was changed'
          )
        if (HeadIndex !== index - 1)
          throw new UsageError(`the export ends with commit ${index - 1}, and should go to ${HeadIndex}`)
        const after = await this.#lines.next()
        if (!after.done)
          throw new UsageError(`line ${this.#number + 1} comes after the last line of the export`)
        return
      }
      this.#digest.add(text)
      const commit = readCommit(value)
      if (commit?.Index !== index)
        throw new UsageError(`line ${this.#number} of the export is not commit ${index}`)
      yield { commit, size: text.length }
    }
    throw new UsageError(
      `the export was cut: it ends with commit ${this.#number - 1} of ${HeadIndex}, without its last line`
    )
  }
}

/** Appends all commits, some while the next are read. @returns the digest of what was appended */
const append = async (
  log: SegmentEventLog,
  reader: ExportReader,
  header: ExportHeader,
  advance: (index: number) => void
): Promise<string> => {
  const digest = new LinesDigest()
  let group: Commit[] = []
  let size = 0
  let appended = Promise.resolve()
  const flush = async (): Promise<void> => {
    await appended
    advance(log.durableIndex)
    appended = log.append(group)
    // It is waited for before the next one, and in the end.
    appended.catch(() => {})
    group = []
    size = 0
  }
  try {
    for await (const { commit, size: characters } of reader.commits(header)) {
      digest.add(commitLine(commit))
      group.push(commit)
      size += characters
      if (size >= GROUP_CHARACTERS || group.length >= GROUP_COMMITS) await flush()
    }
    await flush()
  } finally {
    await appended
  }
  return digest.end()
}

/** Reads back what was written. @throws LogUnusable when it is something else, or makes no state */
const prove = async (path: string, settings: Settings, digest: string): Promise<void> => {
  const log = await SegmentEventLog.open({ path, readOnly: true, key: keyOf(settings) })
  try {
    const found = new LinesDigest()
    for await (const commit of log.read(1)) found.add(commitLine(commit))
    if (found.end() !== digest) throw new LogUnusable('what was written is not what the export holds')
    await proveReplay(log, settings)
  } finally {
    await log.close()
  }
}

/**
 * Makes a log in an empty data folder: a new one, with an ID of its own, since its records have other salts and so other hashes. The commits
 * keep indexes, times and origins.
 * @param file path of the export, or `-` for standard input
 * @throws UsageError LogUnusable LogFailure; the data folder is as it was then
 */
export const logImport = async (settings: Settings, console: Console, file: string): Promise<void> => {
  // Asked first: a file that is not there is told before anything is made.
  if (file !== '-') await stat(file)
  const reader = new ExportReader(file === '-' ? console.in : createReadStream(file))
  const header = await reader.header()
  const { HeadIndex } = header
  await makeLog(settings.data_dir, async path => {
    const log = await SegmentEventLog.open({ path, key: keyOf(settings) })
    let digest: string
    try {
      digest = await withProgress(
        console,
        { task: 'importing', total: HeadIndex, unit: 'commits' },
        advance => append(log, reader, header, advance)
      )
    } finally {
      await log.close()
    }
    await prove(path, settings, digest)
  })
  console.out.write(`commits 1 to ${HeadIndex} are imported to ${settings.data_dir}, and were read back\n`)
}
