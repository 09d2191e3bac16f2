// Reads an archive as a stream with one commit in memory.
import { isObject } from '../../../events/values.js'
import { createHash } from 'node:crypto'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { Commit, Event, Origin } from '../../../events/envelope.js'
import {
  ArchiveTooLarge,
  BadArchive,
  FIRST_FORM_PART,
  META,
  OLD_SIGNATURE,
  STATE,
  STATE_FORMAT,
  SUMS
} from './format.js'
import { bytesOf, withChecksum, signatureIn } from './tar.js'
import { verifySigner, type KnownKeys } from './signer.js'
import { isTar, unpackLog } from './unpack-log.js'
import { messageOf } from '../../../events/errors.js'

export interface Unpacking {
  readonly folder: string
  /** Returns the commits of the unpacked log from the first one. */
  readonly commits: () => AsyncIterable<Commit>
  readonly keys: KnownKeys
}

export interface ArchiveLimits {
  /** Of the unpacked archive. */
  readonly snapshot_bytes: number
  /** Of one line of it. */
  readonly snapshot_line_bytes: number
}

const TAR_BLOCK = 512
/** The size limit of `meta.json` and `SHA256SUMS`. */
const SMALL_BYTES = 64 * 1024

/** A file of the tar. Its bytes must be read before the next file. */
interface Entry extends AsyncIterable<unknown> {
  readonly header: Header
}

type Fields = Readonly<Record<string, unknown>>

const hasTexts = (value: Fields, ...names: readonly string[]): boolean =>
  names.every(name => typeof value[name] === 'string')

const isOrigin = (value: unknown): value is Origin =>
  isObject(value) && hasTexts(value, 'AccessorID', 'Address', 'RequestID', 'Command')

const isKeys = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every(key => typeof key === 'string'))

const isSecrets = (value: unknown): boolean =>
  value === undefined || (isObject(value) && hasTexts(value, ...Object.keys(value)))

const isEvent = (value: unknown): value is Event =>
  isObject(value) &&
  hasTexts(value, 'Topic', 'Type', 'Key', 'Namespace', 'Partition') &&
  isKeys(value['FilterKeys']) &&
  isObject(value['Payload']) &&
  isSecrets(value['Secrets'])

interface Head extends Fields, Pick<Commit, 'Index' | 'Time' | 'By'> {
  readonly Events: unknown
}

const isHead = (value: unknown): value is Head =>
  isObject(value) && typeof value['Index'] === 'number' && hasTexts(value, 'Time') && isOrigin(value['By'])

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadArchive('it holds a line that is not JSON')
  }
}

/** Parses a commit of an archive of version 0.1, which is a line. */
const commitOf = (text: string): Commit => {
  const value = parse(text)
  if (!isHead(value) || !Array.isArray(value.Events) || !value.Events.every(isEvent))
    throw new BadArchive('it holds a line that is no commit')
  return { Index: value.Index, Time: value.Time, By: value.By, Events: value.Events }
}

async function* commitsOfState(lines: AsyncGenerator<string>): AsyncGenerator<Commit> {
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    return done ? undefined : parse(value)
  }
  const first = await next().catch(() => undefined)
  if (!isObject(first) || first['Annals'] !== STATE_FORMAT)
    throw new BadArchive(`its ${STATE} is not one that this version reads`)
  for (let head = await next(); head !== undefined; head = await next()) {
    if (!isHead(head) || typeof head.Events !== 'number')
      throw new BadArchive('it holds a line that is no commit')
    const Events: Event[] = []
    while (Events.length < head.Events) {
      const event = await next()
      if (!isEvent(event)) throw new BadArchive(`commit ${head.Index} lacks an event`)
      Events.push(event)
    }
    yield { Index: head.Index, Time: head.Time, By: head.By, Events }
  }
}

/** Fails for a stream with more bytes. */
const atMost = (limit: number): Transform => {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > limit)
        done(new ArchiveTooLarge(`it unpacks to more than ${limit} bytes (limits.snapshot_bytes)`))
      else done(null, chunk)
    }
  })
}

/** Returns the first block of a stream, and the stream from its beginning. */
const peeked = async (chunks: AsyncGenerator<Buffer>): Promise<readonly [Buffer, AsyncGenerator<Buffer>]> => {
  const taken: Buffer[] = []
  let size = 0
  while (size < TAR_BLOCK) {
    const { value, done } = await chunks.next()
    if (done) break
    taken.push(value)
    size += value.length
  }
  return [Buffer.concat(taken), following(taken, chunks)]
}

async function* following(taken: readonly Buffer[], chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* taken
  yield* chunks
}

const smallText = async (name: string, chunks: AsyncIterable<Buffer>): Promise<string> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > SMALL_BYTES) throw new BadArchive(`its ${name} is too large`)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces).toString()
}

/** One reading of an archive. Its commits are valid only after its end. */
class Reading {
  /** SHA-256 by the names of entries. */
  readonly #sums = new Map<string, string>()
  /** The digest of the log's parts in an archive of version 0.1. */
  readonly #parts = createHash('sha256')
  #hasParts = false
  #meta: unknown
  #listed: string | undefined
  #signed: string | undefined
  #index = 0
  #hasLog = false

  constructor(
    private readonly limits: ArchiveLimits,
    private readonly unpacking: Unpacking
  ) {}

  /** True if the archive contains a log, which was unpacked. */
  get hasLog(): boolean {
    return this.#hasLog
  }

  async *entry(entry: Entry): AsyncGenerator<Commit> {
    const { name, type } = entry.header
    if (type !== 'file') throw new BadArchive(`"${name}" in it is no file`)
    if (FIRST_FORM_PART.test(name)) {
      if (!entry.header.size) throw new BadArchive(`"${name}" in it is empty`)
      this.#hasParts = true
      for await (const line of this.#lines(withChecksum(bytesOf(entry), this.#parts)))
        yield this.#inOrder(commitOf(line))
      return
    }
    if (this.#sums.has(name)) throw new BadArchive(`it holds "${name}" twice`)
    const sum = createHash('sha256')
    const chunks = withChecksum(bytesOf(entry), sum)
    if (name === META) this.#meta = parse(await smallText(name, chunks))
    else if (name === SUMS) {
      this.#listed = await smallText(name, chunks)
      this.#signed ??= signatureIn(entry.header)
    } else if (name === OLD_SIGNATURE) this.#signed = await smallText(name, chunks)
    else if (name === STATE) yield* this.#state(chunks)
    else throw new BadArchive(`it holds "${name}", which is not known`)
    this.#sums.set(name, sum.digest('hex'))
  }

  async *#state(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Commit> {
    const [start, whole] = await peeked(chunks)
    this.#hasLog = isTar(start)
    if (this.#hasLog) return await unpackLog(whole, this.unpacking.folder)
    for await (const commit of commitsOfState(this.#lines(whole))) yield this.#inOrder(commit)
  }

  /** Verifies the archive after its end. @throws BadArchive */
  prove(): void {
    const meta = this.#meta
    if (!isObject(meta)) throw new BadArchive(`it has no ${META}`)
    if (this.#hasParts) {
      if (meta['Format'] !== 1) throw new BadArchive(`its format is not one that this version reads`)
      if (this.#sums.has(STATE) || meta['Digest'] !== this.#parts.digest('hex')) throw changed()
    } else this.#proveSums()
    const { keys } = this.unpacking
    const claim = { sums: this.#listed, note: this.#signed, signer: meta['Signer'] }
    // Archives of earlier releases have an unsigned state.
    const isSigned = this.#hasLog || claim.signer !== undefined || claim.note !== undefined
    if (isSigned || keys.pin !== undefined) verifySigner(claim, keys)
    if (!this.#hasLog) this.#proveIndex(Number(meta['Index']))
  }

  #proveIndex(index: number): void {
    if (index !== this.#index || index === 0) throw new BadArchive('commits are missing')
  }

  #proveSums(): void {
    if (this.#listed === undefined) throw new BadArchive(`it has no ${SUMS}`)
    const listed = new Map(
      this.#listed.split('\n').flatMap(line => {
        const [, sum, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
        return sum !== undefined && name !== undefined ? [[name, sum] as const] : []
      })
    )
    for (const name of [META, STATE]) if (listed.get(name) !== (this.#sums.get(name) ?? '')) throw changed()
  }

  #lines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    return linesOf(chunks, this.limits.snapshot_line_bytes)
  }

  #inOrder(commit: Commit): Commit {
    if (commit.Index !== ++this.#index) throw new BadArchive('commits are missing')
    return commit
  }
}

const changed = (): BadArchive => new BadArchive('its content is not what was written')

/**
 * Yields the commits of an archive. They are verified only after the last one.
 * @throws BadArchive if it is no archive, truncated, modified or larger than a limit
 */
export async function* readArchive(
  bytes: Readable,
  limits: ArchiveLimits,
  unpackingTo: Unpacking
): AsyncGenerator<Commit> {
  const entries = extract()
  const unpacking = pipeline(bytes, createGunzip(), atMost(limits.snapshot_bytes), entries)
  // The reader of the entries receives the error; this promise may reject later.
  unpacking.catch(() => {})
  const reading = new Reading(limits, unpackingTo)
  try {
    for await (const entry of entries) yield* reading.entry(entry)
    await unpacking
  } catch (error) {
    throw error instanceof BadArchive ? error : new BadArchive(messageOf(error))
  } finally {
    bytes.destroy()
  }
  reading.prove()
  if (reading.hasLog) yield* unpackingTo.commits()
}

const NEWLINE = 10

/** Yields lines without their newlines. The last line must end, too. @throws BadArchive */
async function* linesOf(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Buffer): string => {
    try {
      return decoder.decode(bytes)
    } catch {
      throw new BadArchive('it holds text that is not UTF-8')
    }
  }
  let [begun, size]: [Buffer[], number] = [[], 0]
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      checkSize(size + end - start, limit)
      const rest = chunk.subarray(start, end)
      yield decode(begun.length === 0 ? rest : Buffer.concat([...begun, rest]))
      ;[begun, size] = [[], 0]
      start = end + 1
    }
    if (start === chunk.length) continue
    begun.push(chunk.subarray(start))
    size += chunk.length - start
    checkSize(size, limit)
  }
  if (size > 0) throw new BadArchive('its last line is cut short')
}

const checkSize = (size: number, limit: number): void => {
  if (size > limit)
    throw new ArchiveTooLarge(`it holds a line of more than ${limit} bytes (limits.snapshot_line_bytes)`)
}
