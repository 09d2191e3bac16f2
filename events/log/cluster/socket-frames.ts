// Encoding of the worker feed between the writer of a log and its readers on the same machine.
import type { Readable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import { LogUnusable } from '../log.js'
import { readNumber, writeNumber } from '../numbers.js'
import type { StoredRecord } from '../record.js'
import { splitRecords } from '../split-records.js'

const BEGIN = 1
const RECORDS = 2
const MESSAGE = 3

const LENGTH = 4
const KIND_AT = LENGTH
const POSITION_AT = KIND_AT + 1
const BODY_AT = POSITION_AT + 8
/** In front of the records: how long the name of the segment is. */
const NAME_AT = 1

/** State of a reader after attaching, and again after frames were skipped. Replaces all earlier messages. */
export interface FeedStart<Message> {
  /** Index of the newest flushed commit. What is up to it is read from the files. */
  readonly durable: number
  /** Name of the segment that is being written. */
  readonly newest: string
  /** Earlier messages that are still valid. */
  readonly retained: readonly Message[]
}

/** `position` numbers the frames. A reader at a position has received everything up to it. */
export type Frame<Message> = { readonly position: number } & (
  | { readonly kind: 'begin'; readonly beginning: FeedStart<Message> }
  | { readonly kind: 'records'; readonly records: readonly StoredRecord[]; readonly newest: string }
  | { readonly kind: 'message'; readonly message: Message }
)

const framed = (kind: number, position: number, parts: readonly Uint8Array[]): Buffer => {
  const head = Buffer.alloc(BODY_AT)
  const length = parts.reduce((sum, part) => sum + part.length, BODY_AT)
  head.writeUInt32BE(length)
  head[KIND_AT] = kind
  writeNumber(head, position, POSITION_AT)
  return Buffer.concat([head, ...parts], length)
}

export const startFrame = (position: number, beginning: FeedStart<unknown>): Buffer =>
  framed(BEGIN, position, [serialize(beginning)])

/** @param records one behind the other, as they are stored; copied */
export const recordsFrame = (position: number, records: Uint8Array, newest: string): Buffer => {
  const name = Buffer.from(newest)
  return framed(RECORDS, position, [Buffer.of(name.length), name, records])
}

/** @param message anything that may be cloned */
export const messageFrame = (position: number, message: unknown): Buffer =>
  framed(MESSAGE, position, [serialize(message)])

/** The frames of a stream, until it ends. @throws LogUnusable when it holds something else */
export async function* framesOf<Message>(stream: Readable): AsyncGenerator<Frame<Message>> {
  let pieces: Buffer[] = []
  let size = 0
  let wanted = LENGTH
  for await (const piece of stream) {
    pieces.push(piece)
    size += piece.length
    if (size < wanted) continue
    const bytes = Buffer.concat(pieces, size)
    let at = 0
    for (wanted = lengthAt(bytes, at); at + wanted <= size; wanted = lengthAt(bytes, at)) {
      yield frameIn(bytes.subarray(at, at + wanted))
      at += wanted
    }
    pieces = [bytes.subarray(at)]
    size -= at
  }
}

/** Returns the length of the frame at a byte, or of the length field while that is incomplete. */
const lengthAt = (bytes: Buffer, at: number): number =>
  at + LENGTH > bytes.length ? LENGTH : bytes.readUInt32BE(at)

function frameIn<Message>(bytes: Buffer): Frame<Message> {
  const position = readNumber(bytes, POSITION_AT)
  const body = bytes.subarray(BODY_AT)
  const kind = bytes[KIND_AT]
  if (kind === BEGIN) return { kind: 'begin', position, beginning: deserialize(body) }
  if (kind === MESSAGE) return { kind: 'message', position, message: deserialize(body) }
  if (kind !== RECORDS)
    throw new LogUnusable('the process that writes the log sent a frame of an unknown kind')
  const end = NAME_AT + (body[0] ?? 0)
  const newest = body.toString('utf8', NAME_AT, end)
  const split = splitRecords(body.subarray(end))
  if (end + split.end < body.length)
    throw new LogUnusable('the process that writes the log sent a damaged record')
  return { kind: 'records', position, records: split.records, newest }
}
