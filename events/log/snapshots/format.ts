// A snapshot file: a line of JSON, the header; blocks, each its length in 4 bytes and so many bytes; a length of 0; and the
// SHA-256 of all before it. A block is text, compressed with gzip, and encrypted where the secrets of the log are.
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { recover } from '../../errors.js'
import { isObject } from '../../values.js'
import type { SecretLocation } from '../secrets.js'

/** Version of the file's own form. */
export const SNAPSHOT_FORMAT = 1
export const LENGTH_BYTES = 4
export const DIGEST_BYTES = 32
/** No header is longer. */
export const HEADER_LIMIT = 4096

/** What a snapshot is of: of the log up to a commit, as a program of a version understood it. */
export interface SnapshotHeader {
  readonly Format: number
  /** Version of the form of the blocks' content. */
  readonly Form: number
  /** Version of the program that made it. Another one may fold the same log into something else. */
  readonly Program: string
  /** The newest commit that is in it. */
  readonly Index: number
  /** Hash of that commit's record, hex: the whole log up to there, and no other. */
  readonly Hash: string
}

/** Some rows of a part of the state. */
export interface Block {
  readonly part: string
  /** JSON text of an array. */
  readonly rows: string
}

/** Encrypts the bytes of blocks with the key of the log, if there is one. */
export interface BlockSeal {
  /** @param place index of the snapshot and number of the block in it, so that another one is not taken for it */
  sealBlock(bytes: Buffer, place: SecretLocation): Buffer
  /** @throws LogUnusable when they were sealed with another key, or are not those of this place */
  openBlock(stored: Buffer, place: SecretLocation): Buffer
}

/** The log that snapshots are of. */
export interface SnapshotSource extends BlockSeal {
  readonly durableIndex: number
  /** Hash of a durable record, hex. */
  hashAt(index: number): Promise<string>
}

/** The program that makes a snapshot, and the form of its blocks. */
export interface SnapshotBuilder {
  readonly program: string
  readonly form: number
}

/** A file is not a whole snapshot, or not one that can be used here. */
export class DamagedSnapshot extends Error {
  override readonly name = 'UnsoundSnapshot'
}

export const encodeHeader = (header: SnapshotHeader): Buffer => Buffer.from(`${JSON.stringify(header)}\n`)

/** Decodes the header. @param start the file's first bytes, up to `HEADER_LIMIT`. @returns header and length in bytes. @throws DamagedSnapshot */
export const decodeHeader = (start: Buffer): { readonly header: SnapshotHeader; readonly length: number } => {
  const end = start.indexOf('\n')
  const header: unknown = end < 0 ? undefined : parse(start.toString('utf8', 0, end))
  if (!isHeader(header)) throw new DamagedSnapshot('it does not begin with the header of a snapshot')
  if (header.Format !== SNAPSHOT_FORMAT)
    throw new DamagedSnapshot(`it is in format ${header.Format}; this version reads ${SNAPSHOT_FORMAT}`)
  return { header, length: end + 1 }
}

const parse = (text: string): unknown =>
  recover(
    () => JSON.parse(text),
    SyntaxError,
    () => undefined
  )

const HEADER = { Format: 'number', Form: 'number', Program: 'string', Index: 'number', Hash: 'string' }

const isHeader = (value: unknown): value is SnapshotHeader =>
  isObject(value) && Object.entries(HEADER).every(([name, type]) => typeof value[name] === type)

const LINE_END = '\n'.charCodeAt(0)

const zip = promisify<Buffer, { level: number }, Buffer>(gzip)
const unzip = promisify<Buffer, { chunkSize: number }, Buffer>(gunzip)

/** Bytes of the end of a gzip stream that hold the length of its content. */
const GZIP_LENGTH_BYTES = 4
/** Room for the content of a block; a longer one takes several pieces. */
const MIN_ROOM = 1024
const MAX_ROOM = 4 * 1024 * 1024

/** One buffer for the whole content: many small ones cost more collections of garbage than the rows of the block. */
const roomFor = (zipped: Buffer): number => {
  const length =
    zipped.length < GZIP_LENGTH_BYTES ? 0 : zipped.readUInt32LE(zipped.length - GZIP_LENGTH_BYTES)
  return Math.min(Math.max(length + 1, MIN_ROOM), MAX_ROOM)
}

export const encodeBlock = async (
  { part, rows }: Block,
  seal: Pick<BlockSeal, 'sealBlock'>,
  place: SecretLocation
): Promise<Buffer> =>
  seal.sealBlock(await zip(Buffer.from(`${part}\n${rows}`), { level: constants.Z_BEST_SPEED }), place)

/** @throws Error when the bytes are not those of a block of this place */
export const decodeBlock = async (bytes: Buffer, seal: BlockSeal, place: SecretLocation): Promise<Block> => {
  const zipped = seal.openBlock(bytes, place)
  const text = await unzip(zipped, { chunkSize: roomFor(zipped) })
  const end = text.indexOf(LINE_END)
  return { part: text.toString('utf8', 0, end), rows: text.toString('utf8', end + 1) }
}
