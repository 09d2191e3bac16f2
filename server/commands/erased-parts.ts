// What a log lacks, and whether it may: a part is missing only where a later commit erases it, or ends what its secrets belong to.
import { lifecycles } from '../../actors/aggregates.js'
import { partsOf } from '../../actors/erasure/parts.js'
import { subjectOf, textOf } from '../../actors/ref.js'
import { ERASURE_TOPIC, isErasureEvent, isOfWho, type WhoErasure } from '../../events/erasure.js'
import { LogUnusable, type EventLog } from '../../events/log/log.js'
import type { StoredRecord } from '../../events/log/record.js'
import { PAYLOAD, SECRETS, WHO } from '../../events/log/record-format.js'

const ORDER = `"Topic":"${ERASURE_TOPIC}"`

const nameOf = (index: number, event: number): string => `${index}/${event}`

/** Told all records of a log in their order; memory for what is erased and not known yet to be rightly so. */
export class ErasedParts {
  readonly #orders: number[] = []
  /** Commits without who asked. */
  readonly #who = new Set<number>()
  /** Payloads, by commit and number of the event. */
  readonly #payloads = new Set<string>()
  /** The same of secrets, by what they belong to. */
  readonly #secrets = new Map<string, Set<string>>()
  #count = 0

  /** How many parts are erased. */
  get count(): number {
    return this.#count
  }

  add(record: StoredRecord): void {
    const { index } = record
    const hidden: number[] = []
    for (const { kind, event, isErased } of record.layout()) {
      if (!isErased) continue
      this.#count++
      if (kind === WHO) this.#who.add(index)
      else if (kind === PAYLOAD) this.#payloads.add(nameOf(index, event))
      else if (kind === SECRETS) hidden.push(event)
    }
    if (record.bytes.includes(ORDER)) this.#orders.push(index)
    if (hidden.length === 0 && this.#secrets.size === 0) return
    for (const [number, head] of record.events().entries()) {
      const thing = textOf(subjectOf(head))
      if (lifecycles.isEnding(head)) this.#secrets.delete(thing)
      else if (hidden.includes(number)) {
        const own = this.#secrets.get(thing) ?? new Set()
        this.#secrets.set(thing, own.add(nameOf(index, number)))
      }
    }
  }

  /** Whose commits they were went with it. */
  #allowWho({ UpTo }: WhoErasure): void {
    for (const index of this.#who) if (index <= UpTo) this.#who.delete(index)
  }

  /** @throws LogUnusable naming a commit that lacks what no later one erases */
  async prove(log: EventLog): Promise<void> {
    const secrets = new Set([...this.#secrets.values()].flatMap(names => [...names]))
    for (const index of this.#orders)
      for await (const { Events } of log.read(index)) {
        for (const { Payload } of Events.filter(isErasureEvent)) {
          if (isOfWho(Payload.Erasure)) this.#allowWho(Payload.Erasure)
          else
            for await (const { index: at, events = [] } of partsOf(log, Payload.Erasure, lifecycles))
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
