import type { Event, StoredHead } from '../envelope.js'
import type { StoredCommit, StoredEvent } from '../stored.js'
import { LogUnusable } from './log.js'
import { ERASED_BYTE, isErased, SALT } from './record-format.js'

const PAYLOAD = Buffer.from(',"Payload":')
const ERASED = Buffer.from(',"Erased":true')
const END = '}'.charCodeAt(0)
const QUOTE = '"'.charCodeAt(0)
/** What the head of every event begins with. */
const BEFORE_TOPIC = '{"Topic":"'
const NO_PAYLOAD: object = Object.freeze({})

/** The record that a text is in. */
interface Source extends Pick<StoredCommit, 'bytes' | 'index'> {
  /** Whether its checksums need not be looked at. */
  readonly isChecked: boolean
  /** Whether a part is what was written. */
  holds(frame: number, start: number, end: number): boolean
}

/** The event of a head; without its payload, of one that was erased. */
export const eventOf = (
  { Topic, Type, Key, Namespace, Partition = 'default', FilterKeys }: StoredHead,
  Payload: object = NO_PAYLOAD
): Event => ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Payload })

/** A text within a record, checked before it is used. */
export class StoredText {
  #isChecked: boolean

  /** @param frame byte of the record at which the framing of the text's part begins. @param at byte of the record at which the part begins */
  constructor(
    private readonly record: Source,
    private readonly frame: number,
    private readonly at: number,
    private readonly end: number
  ) {
    this.#isChecked = record.isChecked
  }

  /** Of its text, in bytes. */
  get length(): number {
    return this.end - this.at - SALT
  }

  /** Whether it was erased: there is nothing to be read then. */
  get isErased(): boolean {
    const { bytes } = this.record
    // The first random byte decides nearly always.
    return (
      bytes[this.at] === ERASED_BYTE &&
      this.end <= bytes.length &&
      isErased(bytes.subarray(this.at, this.end))
    )
  }

  /** JSON. @throws LogUnusable when it is damaged */
  text(): string {
    this.#check()
    return this.record.bytes.toString('utf8', this.at + SALT, this.end)
  }

  /** The text from one of its characters up to the next quotation mark. @throws LogUnusable when it is damaged */
  upToQuote(from: number): string {
    this.#check()
    const start = this.at + SALT + from
    return this.record.bytes.toString('utf8', start, this.record.bytes.indexOf(QUOTE, start))
  }

  /** Whether its text includes another one. @throws LogUnusable when it is damaged */
  includes(text: string): boolean {
    this.#check()
    return this.record.bytes.subarray(this.at + SALT, this.end).includes(text)
  }

  /** Copies its text without so many bytes of its end. @throws LogUnusable when it is damaged */
  copy(target: Buffer, at: number, without = 0): number {
    this.#check()
    return this.record.bytes.copy(target, at, this.at + SALT, this.end - without)
  }

  #check(): void {
    if (this.#isChecked) return
    if (!this.record.holds(this.frame, this.at, this.end))
      throw new LogUnusable(`commit ${this.record.index} is damaged: the checksum of a part does not hold`)
    this.#isChecked = true
  }
}

const parsedHead = (head: StoredText): StoredHead => JSON.parse(head.text())

/** Reads the topic at once and parses the other fields on first access. */
export class RecordEvent implements StoredEvent {
  /** Only where it is so: as in events that were never stored. */
  declare readonly Erased?: true
  readonly Topic: string
  #parsed: StoredHead | undefined
  #payload: object | undefined

  /** @throws LogUnusable */
  constructor(
    private readonly head: StoredText,
    private readonly text: StoredText
  ) {
    this.Topic = head.upToQuote(BEFORE_TOPIC.length)
    if (text.isErased) this.Erased = true
  }

  get Type(): string {
    return this.#stored.Type
  }

  get Key(): string {
    return this.#stored.Key
  }

  get Namespace(): string {
    return this.#stored.Namespace
  }

  get Partition(): string {
    return this.#stored.Partition ?? 'default'
  }

  get FilterKeys(): readonly string[] | null {
    return this.#stored.FilterKeys
  }

  get #stored(): StoredHead {
    this.#parsed ??= parsedHead(this.head)
    return this.#parsed
  }

  get Payload(): object {
    const payload: object = (this.#payload ??= this.Erased ? NO_PAYLOAD : JSON.parse(this.text.text()))
    return payload
  }

  /** Of `copyText`, in bytes. */
  get textLength(): number {
    return this.head.length + (this.Erased ? ERASED.length : PAYLOAD.length + this.text.length)
  }

  payloadIncludes(text: string): boolean {
    return !this.Erased && this.text.includes(text)
  }

  /** Copies what `joinParts` makes of the stored texts. @returns how many bytes that is. @throws LogUnusable when they are damaged */
  copyText(target: Buffer, start: number): number {
    const middle = this.Erased ? ERASED : PAYLOAD
    let at = start + this.head.copy(target, start, 1)
    target.set(middle, at)
    at += middle.length
    if (!this.Erased) at += this.text.copy(target, at)
    target[at++] = END
    return at - start
  }
}
