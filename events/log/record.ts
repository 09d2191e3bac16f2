import { crc32 } from 'node:zlib'
import {
  type Commit,
  type Event,
  type IdempotentResponse,
  NO_CALLER,
  type Origin,
  type StoredHead
} from '../envelope.js'
import type { StoredCommit } from '../stored.js'
import { LogUnusable } from './log.js'
import * as format from './record-format.js'
import { RecordParts, type StoredPart } from './record-parts.js'
import { eventOf, RecordEvent, StoredText } from './stored-event.js'
import type { SecretsVault } from './secrets.js'

/** A stored record, read in place: nothing is copied, and nothing is trusted before it `isChecked` or `fault` was asked. */
export class StoredRecord extends RecordParts implements StoredCommit {
  /** @param source has a record from `at` on, or at least its framing. @returns undefined when there is none: not even its length can be trusted */
  static at(source: Buffer, at = 0, isChecked = false): StoredRecord | undefined {
    const room = source.length - at
    if (room < format.MIN_RECORD_BYTES) return undefined
    const length = source.readUInt32BE(at + format.LENGTH_AT)
    const framing = format.parseFraming(source.readUInt32BE(at + format.COUNT_AT))
    if (!framing) return undefined
    const { version, count } = framing
    const headerAt = format.PARTS_AT + count * format.PART_FRAME[version] + format.LEAF_PREFIX
    const headerEnd = headerAt + source.readUInt32BE(at + format.HEADER_LENGTH_AT)
    if (headerEnd > length || length > room || headerEnd - headerAt < format.TIME_AT) return undefined
    if (
      !isChecked &&
      crc32(source.subarray(at + format.LENGTH_AT, at + headerEnd)) !== source.readUInt32BE(at)
    )
      return undefined
    const bytes = source.subarray(at, at + length)
    return new StoredRecord(bytes, version, count, headerAt, headerEnd, isChecked)
  }

  /** Length of the record that begins at a byte, if it is what it says; undefined when there can be none. */
  static lengthAt(source: Buffer, at: number): number | undefined {
    if (at + format.MIN_RECORD_BYTES > source.length) return undefined
    return source.readUInt32BE(at + format.LENGTH_AT)
  }

  #commit: Commit | undefined

  /** The record as one of which all was verified. @param hash of it */
  verified(hash: Buffer): StoredRecord {
    return new StoredRecord(this.bytes, this.version, this.count, this.headerAt, this.headerEnd, true, hash)
  }

  /** Who asked for the commit. @throws LogUnusable when that is damaged */
  get by(): Origin {
    if (this.kindOf(0, format.PARTS_AT) !== format.ORIGIN_PART) return NO_CALLER
    const at = this.headerEnd + format.PART_PREFIX[this.version]
    const who = new StoredText(this, format.PARTS_AT, at, at + this.bytes.readUInt32BE(format.PARTS_AT))
    return who.isErased ? ERASED_ORIGIN : JSON.parse(who.text())
  }

  /** Parses the commit ahead of `commit`. @throws as `commit` */
  open(vault: SecretsVault): void {
    this.#commit = this.commit(vault)
  }

  /** The commit that was written. @throws LogUnusable when its secrets cannot be opened, or a part is no JSON */
  commit(vault: SecretsVault): Commit {
    if (this.#commit) return this.#commit
    try {
      return this.#parsed(vault)
    } catch (error) {
      if (error instanceof LogUnusable) throw error
      throw new LogUnusable(`commit ${this.index} is not what a log holds`, { cause: error })
    }
  }

  #parsed(vault: SecretsVault): Commit {
    let by: Origin | undefined
    let head: StoredHead | undefined
    let answer: IdempotentResponse | undefined
    const events: Event[] = []
    for (const part of this.parts())
      switch (part.kind) {
        case format.ORIGIN_PART:
          by = this.isErased(part) ? ERASED_ORIGIN : JSON.parse(this.#textOf(part))
          break
        case format.EVENT_METADATA_PART:
          head = JSON.parse(this.#textOf(part))
          break
        case format.PAYLOAD_PART:
          if (head)
            events.push(
              this.isErased(part)
                ? { ...eventOf(head), Erased: true }
                : eventOf(head, JSON.parse(this.#textOf(part)))
            )
          break
        case format.SECRETS_PART: {
          if (!vault.opens || this.isErased(part)) break
          const event = events.pop()
          const json = this.#opened(part, vault)
          if (event) events.push({ ...event, Secrets: JSON.parse(json) })
          break
        }
        case format.RESPONSE_PART:
          if (vault.opens && !this.isErased(part)) answer = JSON.parse(this.#opened(part, vault))
      }
    const commit = { Index: this.index, Time: this.time, By: by ?? NO_CALLER, Events: events }
    return answer ? { ...commit, Answer: answer } : commit
  }

  /** The answer that was kept with it; undefined for none, or when it was erased. @throws LogUnusable when it cannot be opened */
  answer(vault: SecretsVault): IdempotentResponse | undefined {
    for (const part of this.parts())
      if (part.kind === format.RESPONSE_PART && !this.isErased(part))
        return JSON.parse(this.#opened(part, vault))
    return undefined
  }

  /** Opens its secrets without keeping them. @throws LogUnusable when one cannot be opened */
  tryToOpen(vault: SecretsVault): void {
    for (const part of this.parts())
      if (format.isSealed(part.kind) && !this.isErased(part)) this.#opened(part, vault)
  }

  /** Where in its bytes the secrets are, the answer among them: start and end of each part. */
  *secrets(): Generator<readonly [start: number, end: number]> {
    for (const { kind, start, end } of this.parts()) if (format.isSealed(kind)) yield [start, end]
  }

  /** Its parts: kind, number of the event that one is of (-1 for who asked), where its bytes are, and whether it was erased. */
  *layout(): Generator<format.PartPosition> {
    let event = -1
    for (const part of this.parts()) {
      const { kind, number, start, end } = part
      if (kind === format.EVENT_METADATA_PART) event++
      yield {
        kind,
        number,
        event: kind === format.ORIGIN_PART || kind === format.RESPONSE_PART ? -1 : event,
        start,
        end,
        isErased: this.isErased(part)
      }
    }
  }

  /** The heads of its events. @throws SyntaxError when one is no JSON */
  *heads(): Generator<StoredHead> {
    for (const part of this.parts())
      if (part.kind === format.EVENT_METADATA_PART) yield JSON.parse(this.#textOf(part))
  }

  /**
   * Its events without their secrets, read in place. Of a record that was not asked for its `fault` they are checked as far as they
   * are looked into.
   * @throws LogUnusable when one is damaged
   */
  events(): readonly RecordEvent[] {
    return [...this.eachEvent()]
  }

  /** As `events`, but reads each when it is needed. @throws LogUnusable when one is damaged */
  *eachEvent(): Generator<RecordEvent> {
    if (this.bytes[this.headerAt] !== this.version) throw new LogUnusable(this.fault())
    let head: StoredText | undefined
    for (const { kind, frame, start, end } of this.parts())
      if (kind === format.EVENT_METADATA_PART) head = new StoredText(this, frame, start, end)
      else if (kind === format.PAYLOAD_PART && head)
        yield new RecordEvent(head, new StoredText(this, frame, start, end))
  }

  #textOf({ start, end }: StoredPart): string {
    return this.bytes.toString('utf8', start + format.SALT, end)
  }

  /** The text of a sealed part. @throws LogUnusable when it cannot be opened */
  #opened({ number, start, end }: StoredPart, vault: SecretsVault): string {
    return vault.open(this.bytes.subarray(start + format.SALT, end), { index: this.index, part: number })
  }
}

const ERASED_ORIGIN: Origin = { ...NO_CALLER, Erased: true }
