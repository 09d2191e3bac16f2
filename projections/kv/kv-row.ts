// One KV entry and its answer, serialised once after each change.
import type { Tenancy } from '../../events/envelope.js'
import type { KvEntry, KvWritten } from '../../events/kv.js'
import { tenancyViewOf } from '../tenancy-view.js'

const VALUE = ',"Value":'

/**
 * An entry as the read model holds it: what decisions look at, and its JSON, made when it is first asked for.
 * From then on the value is kept only inside the JSON, so that it lies in memory once.
 */
export class KvRow {
  readonly key: string
  /** Decimal digits of an unsigned integer of 64 bits. */
  readonly flags: string
  readonly lockIndex: number
  /** The session that holds the lock, as its holder spelled it; '' when there is none. */
  readonly session: string
  readonly createIndex: number
  readonly modifyIndex: number
  /** The value, until there is a JSON that holds it. */
  #value: string | null
  #json: string | undefined

  constructor(
    entry: KvEntry,
    readonly tenancy: Tenancy /** What the last event of the entry was. */,
    readonly eventType: KvWritten['Type']
  ) {
    this.key = entry.Key
    this.flags = String(entry.Flags)
    this.lockIndex = entry.LockIndex
    this.session = entry.Session ?? ''
    this.createIndex = entry.CreateIndex
    this.modifyIndex = entry.ModifyIndex
    this.#value = entry.Value
  }

  /** A list of this entry alone, which is what a read of one key answers (spec: state.md §4). */
  get listJson(): string {
    return `[${this.json}]`
  }

  /** The entry in answers (spec: state.md §2). */
  get json(): string {
    if (this.#json === undefined) {
      this.#json = this.#serialise()
      this.#value = null
    }
    return this.#json
  }

  /** Base64; null when the value is empty. */
  get value(): string | null {
    if (this.#json === undefined) return this.#value
    const { json } = this
    const from = valueAt(json)
    return json[from] === 'n' ? null : json.slice(from + 1, json.indexOf('"', from + 1))
  }

  /** The entry without its value, as most results of a transaction show it. */
  get jsonWithoutValue(): string {
    const { json } = this
    const from = valueAt(json)
    if (json[from] === 'n') return json
    return `${json.slice(0, from)}null${json.slice(json.indexOf('"', from + 1) + 1)}`
  }

  /** The entry as an event tells of it. */
  get entry(): KvEntry {
    const flags = Number(this.flags)
    return {
      Key: this.key,
      Value: this.value,
      Flags: Number.isSafeInteger(flags) ? flags : this.flags,
      LockIndex: this.lockIndex,
      ...(this.session === '' ? {} : { Session: this.session }),
      CreateIndex: this.createIndex,
      ModifyIndex: this.modifyIndex
    }
  }

  #serialise(): string {
    const flags = Number(this.flags)
    const isExact = Number.isSafeInteger(flags)
    const { Namespace, Partition } = tenancyViewOf(this.tenancy)
    // What JSON leaves out is undefined: objects of one shape are made quickly.
    const json = JSON.stringify({
      LockIndex: this.lockIndex,
      Key: this.key,
      Flags: isExact ? flags : 0,
      Value: this.#value,
      Session: this.session === '' ? undefined : this.session,
      Namespace,
      Partition,
      CreateIndex: this.createIndex,
      ModifyIndex: this.modifyIndex
    })
    return isExact ? json : withFlags(json, this.flags)
  }
}

/** Where the value begins. Behind it stand only digits, a UUID and names of tenancies. */
const valueAt = (json: string): number => json.lastIndexOf(VALUE) + VALUE.length

/** Numbers beyond 2^53 have no exact form in JavaScript, so that their digits are put in as text. */
const withFlags = (json: string, flags: string): string => {
  const at = json.lastIndexOf(',"Flags":0,"Value":') + ',"Flags":'.length
  return json.slice(0, at) + flags + json.slice(at + 1)
}
