// What clients of a consumer group saw: which deliveries the guarantees of docs/reference/consumer-groups.md allow.

/** Of the group under test, in ms and as its setting. */
export const VISIBILITY_MS = 2000

export interface Delivery {
  readonly key: string
  readonly index: number
  readonly receipt: string
  /** When the member asked, in ms of the monotonic clock, and how often servers had been killed then. */
  readonly askedAt: number
  readonly kills: number
}

interface Held extends Delivery {
  /** The member asked to acknowledge or to reject it. */
  answer?: 'ack' | 'nack'
}

const runOf = (receipt: string): string => receipt.slice(0, receipt.lastIndexOf('-'))
const idOf = ({ index, key }: Pick<Delivery, 'index' | 'key'>): string => `${index} ${key}`

export class GroupLedger {
  /** How often servers were killed. */
  kills = 0
  redeliveries = 0
  /** Index of the newest acknowledged write. */
  newest = 0
  /** Runs of the group, by the receipts. One run ends with its leader. */
  readonly runs: string[] = []
  readonly #written: string[] = []
  readonly #finished = new Set<string>()
  /** Acknowledgements that were sent, and may have been lost. */
  readonly #acknowledging = new Set<string>()
  /** The last delivery of each key, and of each unit. */
  readonly #byKey = new Map<string, Held>()
  readonly #byUnit = new Map<string, Held>()
  readonly #indexesOf = new Map<string, number[]>()

  get finished(): number {
    return this.#finished.size
  }

  get written(): number {
    return this.#written.length
  }

  /** Units that no member has tried to acknowledge. */
  get waiting(): number {
    return this.#written.length - this.#acknowledging.size
  }

  /** Notes an acknowledged write. */
  wrote(key: string, index: number): void {
    this.newest = Math.max(this.newest, index)
    this.#written.push(idOf({ key, index }))
    this.#indexesOf.set(key, [...(this.#indexesOf.get(key) ?? []), index])
  }

  /** @throws Error for a delivery that no guarantee allows */
  delivered(delivery: Delivery): void {
    const run = runOf(delivery.receipt)
    const isOld = this.runs.includes(run) && this.runs.at(-1) !== run
    // A response that arrives after the end of its lease says nothing of the present.
    if (isOld || this.#isOver(delivery)) return
    if (this.runs.at(-1) !== run) this.runs.push(run)
    const id = idOf(delivery)
    if (this.#finished.has(id)) throw new Error(`${id} was acknowledged, and is delivered again`)
    const before = this.#byUnit.get(id)
    if (before && before.answer !== 'nack' && !this.#isOver(before, run))
      throw new Error(`${id} is with a member, and is delivered again`)
    if (before) this.redeliveries++
    const other = this.#byKey.get(delivery.key)
    if (other && other.answer === undefined && !this.#isOver(other, run))
      throw new Error(`${id} is delivered while ${idOf(other)} is with a member`)
    const skipped = (this.#indexesOf.get(delivery.key) ?? []).find(
      index => index < delivery.index && this.#wasNeverAcknowledged({ ...delivery, index })
    )
    if (skipped !== undefined) throw new Error(`${id} is delivered before ${skipped} was acknowledged`)
    const held: Held = { ...delivery }
    this.#byUnit.set(id, held)
    this.#byKey.set(delivery.key, held)
  }

  /** Notes that a member asks to acknowledge or reject a unit. */
  answers(delivery: Delivery, answer: 'ack' | 'nack'): void {
    const held = this.#byUnit.get(idOf(delivery))
    if (held?.receipt === delivery.receipt) held.answer = answer
    if (answer === 'ack') this.#acknowledging.add(idOf(delivery))
  }

  /** Notes a durable acknowledgement. */
  acknowledged(delivery: Delivery): void {
    this.#finished.add(idOf(delivery))
  }

  /** Notes that the server does not know a receipt. @throws Error if the member still had the unit */
  unknown(delivery: Delivery): void {
    if (!this.#isOver(delivery, this.runs.at(-1)))
      throw new Error(`the receipt of ${idOf(delivery)} is unknown before its lease has ended`)
  }

  /** @throws Error if an acknowledged write was never acknowledged by a member */
  complete(): void {
    const missing = this.#written.filter(id => !this.#finished.has(id) && !this.#acknowledging.has(id))
    if (missing.length > 0) throw new Error(`never acknowledged: ${missing.slice(0, 5).join(', ')}`)
  }

  #wasNeverAcknowledged(unit: Pick<Delivery, 'index' | 'key'>): boolean {
    const id = idOf(unit)
    return !this.#finished.has(id) && !this.#acknowledging.has(id)
  }

  /** A lease begins after its request and ends with its run. */
  #isOver({ askedAt, kills, receipt }: Delivery, run = runOf(receipt)): boolean {
    return performance.now() - askedAt >= VISIBILITY_MS || kills !== this.kills || runOf(receipt) !== run
  }
}
