// Proves that each missing part of a log was erased by a later commit.
import { lifecycles } from '../actors/aggregates.js'
import { partsToEraseBy } from '../actors/erasure/parts-to-erase.js'
import { subjectOf, textOf } from '../actors/ref.js'
import type { Commit } from '../events/envelope.js'
import { ERASURE_TOPIC, isErasureEvent, isOriginErasure } from '../events/erasure.js'
import { LogUnusable, type LogReader } from '../events/log/log.js'
import type { StoredRecord } from '../events/log/record.js'
import { isSealed, ORIGIN_PART, PAYLOAD_PART, SECRETS_PART } from '../events/log/record-format.js'

/** Bytes in each record with an erasure order, which are found faster than a text. */
export const ERASURE_ORDER = Buffer.from(`"Topic":"${ERASURE_TOPIC}"`)

const nameOf = (index: number, event: number): string => `${index}/${event}`

/** Receives all records or commits in order, and checks that every missing part was erased by a later commit. Stores unconfirmed parts only. */
export class ErasedParts {
  readonly #orders: number[] = []
  /** Commits without an origin. */
  readonly #who = new Set<number>()
  /** Missing payloads, by commit and event number. */
  readonly #payloads = new Set<string>()
  /** Missing secrets, by owner. */
  readonly #secrets = new Map<string, Set<string>>()
  #count = 0

  /** @param isReplica true if the log never has secrets and stored responses */
  constructor(private readonly isReplica = false) {}

  get count(): number {
    return this.#count
  }

  /** Number of missing authors and payloads of which no erasure is proved yet. */
  get unproved(): number {
    return this.#who.size + this.#payloads.size
  }

  add(record: StoredRecord): void {
    const { index } = record
    const hidden = new Set<number>()
    for (const { kind, event, isErased } of record.layout()) {
      if (!isErased || (this.isReplica && isSealed(kind))) continue
      this.#count++
      if (kind === ORIGIN_PART) this.#who.add(index)
      else if (kind === PAYLOAD_PART) this.#payloads.add(nameOf(index, event))
      else if (kind === SECRETS_PART) hidden.add(event)
    }
    if (record.bytes.includes(ERASURE_ORDER)) this.#orders.push(index)
    if (hidden.size === 0 && this.#secrets.size === 0) return
    for (const [number, head] of record.events().entries()) {
      const resource = textOf(subjectOf(head))
      if (lifecycles.isEnding(head)) this.#secrets.delete(resource)
      else if (hidden.has(number)) {
        const own = this.#secrets.get(resource) ?? new Set()
        this.#secrets.set(resource, own.add(nameOf(index, number)))
      }
    }
  }

  /** As `add`, for a log that never has secrets. */
  addCommit({ Index, By, Events }: Commit): void {
    if (By.Erased) this.#who.add(Index)
    for (const [number, event] of Events.entries())
      if (event.Erased) this.#payloads.add(nameOf(Index, number))
    if (Events.some(isErasureEvent)) this.#orders.push(Index)
  }

  /** @throws LogUnusable naming a commit with a missing part that no later commit erases */
  async prove(log: LogReader): Promise<void> {
    const secrets = new Set([...this.#secrets.values()].flatMap(names => [...names]))
    for (const index of this.#orders)
      for await (const { Events } of log.read(index)) {
        for (const { Payload } of Events.filter(isErasureEvent)) {
          if (isOriginErasure(Payload.Erasure)) {
            const { UpTo } = Payload.Erasure
            for (const commit of this.#who) if (commit <= UpTo) this.#who.delete(commit)
          } else
            for await (const { index: at, events = [] } of partsToEraseBy(log, Payload.Erasure, lifecycles))
              for (const number of events) {
                this.#payloads.delete(nameOf(at, number))
                secrets.delete(nameOf(at, number))
              }
        }
        break
      }
    const [left] = [...this.#who].map(String).concat([...this.#payloads], [...secrets])
    if (left !== undefined)
      throw new LogUnusable(
        `commit ${left.split('/')[0]} lacks a part that no later commit erases: the log is damaged, or was changed`
      )
  }
}
