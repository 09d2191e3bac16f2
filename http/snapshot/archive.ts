// The archive of a snapshot: a gzipped tar of the whole log up to one index, secrets included, with its own proof.
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { text } from 'node:stream/consumers'
import { Readable, type Writable } from 'node:stream'
import { extract, pack, type Extract, type Pack } from 'tar-stream'
import type { Commit } from '../../events/envelope.js'

const FORMAT = 1
const META = 'meta.json'
/** Commits as JSON, a line each, in entries of about this many bytes. */
const ENTRY_BYTES = 1024 * 1024
/** What an archive may unpack to. */
const MOST_BYTES = 4 * 1024 * 1024 * 1024

/** The bytes are no archive, or not the ones that were written. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive'
}

interface Meta {
  readonly Format: number
  /** Index of the last commit. */
  readonly Index: number
  /** SHA-256 over all lines, hex. */
  readonly Digest: string
}

const entry = (archive: Pack, name: string, content: string): Promise<void> =>
  new Promise((resolve, reject) =>
    // An entry that is broken off, as when its reader goes away, also tells it by an event, which must be heard.
    archive.entry({ name }, content, error => (error ? reject(error) : resolve())).on('error', reject)
  )

const fill = async (archive: Pack, commits: AsyncIterable<Commit>, last: number): Promise<void> => {
  const digest = createHash('sha256')
  let [count, lines] = [0, '']
  const flush = async (): Promise<void> => {
    await entry(archive, `commits/${String(++count).padStart(8, '0')}.ndjson`, lines)
    lines = ''
  }
  for await (const commit of commits) {
    if (commit.Index > last) break
    const line = `${JSON.stringify(commit)}\n`
    digest.update(line)
    lines += line
    if (lines.length >= ENTRY_BYTES) await flush()
  }
  if (lines !== '') await flush()
  const meta: Meta = { Format: FORMAT, Index: last, Digest: digest.digest('hex') }
  await entry(archive, META, JSON.stringify(meta))
  archive.finalize()
}

/** Writes the commits up to the index `last` as an archive, as fast as `out` takes it. */
export const writeArchive = async (
  commits: AsyncIterable<Commit>,
  last: number,
  out: Writable
): Promise<void> => {
  const archive = pack()
  await Promise.all([
    pipeline(archive, createGzip(), out),
    fill(archive, commits, last).catch(error => archive.destroy(error))
  ])
}

const isMeta = (value: unknown): value is Meta =>
  typeof value === 'object' && value !== null && 'Format' in value && 'Index' in value && 'Digest' in value

interface Content {
  readonly meta: unknown
  readonly commits: readonly Commit[]
  readonly digest: string
}

const collect = async (entries: Extract): Promise<Content> => {
  const digest = createHash('sha256')
  const commits: Commit[] = []
  let meta: unknown
  let read = 0
  for await (const part of entries) {
    read += part.header.size ?? 0
    if (read > MOST_BYTES) throw new BadArchive(`it unpacks to more than ${MOST_BYTES} bytes`)
    const content = await text(part)
    if (part.header.name === META) meta = JSON.parse(content)
    else {
      digest.update(content)
      for (const line of content.split('\n')) if (line !== '') commits.push(JSON.parse(line))
    }
  }
  return { meta, commits, digest: digest.digest('hex') }
}

const unpack = async (bytes: Buffer): Promise<Content> => {
  const entries = extract()
  try {
    const [content] = await Promise.all([
      collect(entries),
      pipeline(Readable.from([bytes]), createGunzip(), entries)
    ])
    return content
  } catch (error) {
    throw new BadArchive(error instanceof Error ? error.message : String(error))
  }
}

/**
 * The commits of an archive, once all of it is proved.
 * @throws BadArchive when it is none, is cut short, or was changed
 */
export const readArchive = async (bytes: Buffer): Promise<readonly Commit[]> => {
  const { meta, commits, digest } = await unpack(bytes)
  if (!isMeta(meta)) throw new BadArchive(`it has no ${META}`)
  if (meta.Format !== FORMAT)
    throw new BadArchive(`its format is ${meta.Format}, this version reads ${FORMAT}`)
  if (meta.Digest !== digest) throw new BadArchive('its content is not what was written')
  const gap = commits.findIndex(({ Index }, i) => Index !== i + 1)
  if (gap >= 0 || commits.length !== meta.Index) throw new BadArchive('commits are missing')
  return commits
}
