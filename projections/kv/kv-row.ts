import type { Tenancy } from '../../events/envelope.js'
import type { KvEntry, KvEvent } from '../../events/kv.js'
import { tenancyViewOf } from '../tenancy-view.js'

const VALUE = ',"Value":'
/** Characters of the JSON of an entry besides its key and value. */
const JSON_CHARACTERS = 100

/** An entry of the read model. Once its JSON is cached, the value exists only inside the JSON, so that it is in memory once. */
export class KvRow {
  readonly key: string
  /** Decimal digits of an unsigned integer of 64 bits. */
  readonly flags: string
  readonly lockIndex: number
  /** The session that holds the lock, as its holder spelled it; '' without one. */
  readonly session: string
  readonly createIndex: number
  readonly modifyIndex: number
  /** Null once the JSON is cached. */
  #value: string | null
  #json: string | undefined

  constructor(
    entry: KvEntry,
    readonly tenancy: Tenancy,
    readonly eventType: Exclude<KvEvent['Type'], 'KVDelete'>
  ) {
    this.key = entry.Key
    this.flags = String(entry.Flags)
    this.lockIndex = entry.LockIndex
    this.session = entry.Session ?? ''
    this.createIndex = entry.CreateIndex
    this.modifyIndex = entry.ModifyIndex
    this.#value = entry.Value
  }

  /** A list of this entry alone, the response of a read of one key (spec: state.md §4). */
  get listJson(): string {
    return `[${this.json}]`
  }

  /** The entry in responses (spec: state.md §2). */
  get json(): string {
    if (this.#json === undefined) {
      this.#json = this.#serialise(this.#value)
      this.#value = null
    }
    return this.#json
  }

  /** Base64; null for an empty value. */
  get value(): string | null {
    if (this.#json === undefined) return this.#value
    const { json } = this
    const from = valueAt(json)
    return json[from] === 'n' ? null : json.slice(from + 1, json.indexOf('"', from + 1))
  }

  /** About the characters of its JSON. */
  get size(): number {
    return this.#json?.length ?? JSON_CHARACTERS + this.key.length + (this.#value?.length ?? 0)
  }

  /** The entry without its value, for most results of a transaction. */
  get jsonWithoutValue(): string {
    return this.#serialise(null)
  }

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

  #serialise(value: string | null): string {
    const flags = Number(this.flags)
    const isExact = Number.isSafeInteger(flags)
    const { Namespace, Partition } = tenancyViewOf(this.tenancy)
    // JSON omits undefined, and objects of one shape are fast.
    const json = JSON.stringify({
      LockIndex: this.lockIndex,
      Key: this.key,
      Flags: isExact ? flags : 0,
      Value: value,
      Session: this.session === '' ? undefined : this.session,
      Namespace,
      Partition,
      CreateIndex: this.createIndex,
      ModifyIndex: this.modifyIndex
    })
    return isExact ? json : withFlags(json, this.flags)
  }
}

/** Only digits, a UUID and names of tenancies follow the value. */
const valueAt = (json: string): number => json.lastIndexOf(VALUE) + VALUE.length

/** Numbers beyond 2^53 are inexact in JavaScript, so that their digits are inserted as text. */
const withFlags = (json: string, flags: string): string => {
  const at = json.lastIndexOf(',"Flags":0,"Value":') + ',"Flags":'.length
  return json.slice(0, at) + flags + json.slice(at + 1)
}
