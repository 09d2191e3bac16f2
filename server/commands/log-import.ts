import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import type { Settings } from '../settings/settings.js'
import { UsageError, type Console } from '../../clients/cli/console.js'
import { readTrailer } from '../../clients/evidence/bundle-lines.js'
import { commitLine, NodeLinesDigest, readCommit, readHeader, type ExportHeader } from './export-lines.js'
import { jsonLinesOf } from '../../clients/cli/json-lines.js'
import { createLog, keyOf, usingLog } from './open-log.js'
import { withProgress } from '../../clients/cli/terminal.js'
import { verifyReplay } from './verify-replay.js'

/** Limit of a line in bytes; no commit is as long. */
const MAX_LINE = 256 * 1024 * 1024
/** A batch is appended when it has this many characters or commits. */
const GROUP_CHARACTERS = 512 * 1024
const GROUP_COMMITS = 1000

const parse = (text: string, number: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`line ${number} of the export is not JSON: the file is damaged or truncated`)
  }
}

/** @throws UsageError for a file that is no export, or has no secrets */
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

/** Yields and checks the commits of an export, and finally the trailer. @throws UsageError */
class ExportReader {
  readonly #lines: AsyncGenerator<string>
  readonly #digest = new NodeLinesDigest()
  #number = 1

  constructor(source: AsyncIterable<Buffer | string>) {
    this.#lines = jsonLinesOf(source, MAX_LINE)
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

/** Appends all commits, while the next ones are read. @returns the digest of the commits */
const append = async (
  log: SegmentEventLog,
  reader: ExportReader,
  header: ExportHeader,
  advance: (index: number) => void
): Promise<string> => {
  const digest = new NodeLinesDigest()
  let group: Commit[] = []
  let size = 0
  let appended = Promise.resolve()
  const flush = async (): Promise<void> => {
    await appended
    advance(log.durableIndex)
    appended = log.append(group)
    // Awaited before the next batch, and at the end.
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

/** Reads the new log back. @throws LogUnusable if it differs from the export, or cannot be replayed */
const prove = (path: string, settings: Settings, digest: string): Promise<void> =>
  usingLog({ path, readOnly: true, key: keyOf(settings) }, async log => {
    const found = new NodeLinesDigest()
    for await (const commit of log.read(1)) found.add(commitLine(commit))
    if (found.end() !== digest) throw new LogUnusable('what was written is not what the export holds')
    await verifyReplay(log, settings)
  })

/**
 * Creates a log in an empty data folder. It has its own ID, because its records have other salts and hashes. The commits keep their
 * indexes, times and callers.
 * @param file path of the export, or `-` for standard input
 * @throws UsageError LogUnusable LogFailure, and leaves the data folder unchanged
 */
export const logImport = async (settings: Settings, console: Console, file: string): Promise<void> => {
  // A missing file is reported before anything is created.
  if (file !== '-') await stat(file)
  const reader = new ExportReader(file === '-' ? console.in : createReadStream(file))
  const header = await reader.header()
  const { HeadIndex } = header
  await createLog(settings.data_dir, async path => {
    const progress = { task: 'importing', total: HeadIndex, unit: 'commits' }
    const digest = await usingLog({ path, key: keyOf(settings) }, log =>
      withProgress(console, progress, advance => append(log, reader, header, advance))
    )
    await prove(path, settings, digest)
  })
  console.out.write(`commits 1 to ${HeadIndex} are imported to ${settings.data_dir}, and were read back\n`)
}
