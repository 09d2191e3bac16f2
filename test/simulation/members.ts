// Members of one consumer group. What they received and acknowledged is checked against the log that is left.
import type { Client, Outgoing, Reply } from './client.js'
import { HistoryError } from './history.js'
import { Requests, type Scene } from './requests.js'
import { lineOf, type Follower, type ShownEvent } from './subscribers.js'

const CURSOR = 'members'
/** Keys that are written seldom, since a key's next unit waits for the acknowledgement of the one before. */
const PREFIX = 'lock/'
const RETRY = 100
const OK = 200
const NOT_FOUND = 404
/** In ms: how long a member has units, at most. Some lose them by their visibility timeout, which is 2 s. */
const MOST_HELD = 2500
const MOST_UNITS = 20

interface Unit {
  readonly Receipt: string
  readonly Index: number
  readonly Events: readonly ShownEvent[]
}

interface Delivered {
  readonly unit: Unit
  /** Positions in the order of all deliveries and acknowledgements. */
  readonly askedAt: number
  readonly at: number
}

const idOf = ({ Index, Events }: Pick<Unit, 'Index' | 'Events'>): string => `${Index} ${Events[0]?.Key}`

/** What all members of the group saw. */
export class Group {
  readonly delivered: Delivered[] = []
  /** When an acknowledgement of a unit was first sent, and when it was first answered as durable. */
  readonly acknowledging = new Map<string, number>()
  readonly acknowledged = new Map<string, number>()
  /** Of which an acknowledgement has no known outcome: it may have been the last one. */
  readonly unanswered = new Set<string>()
  #position = 0

  /** @param haveRestores true if restores may take back what members acknowledged */
  constructor(private readonly haveRestores: boolean) {}

  next(): number {
    return ++this.#position
  }

  /** True if members have acknowledged, or may have acknowledged, all units of events. */
  has(events: readonly ShownEvent[]): boolean {
    return events
      .filter(({ Key }) => Key.startsWith(PREFIX))
      .map(({ Index, Key }) => `${Index} ${Key}`)
      .every(id => this.acknowledged.has(id) || this.unanswered.has(id))
  }

  /** @throws HistoryError if a unit is not in the log, came after its acknowledgement, or before that of an older one of its key */
  check(events: readonly ShownEvent[]): void {
    const units = new Map<string, string[]>()
    const older = new Map<string, string[]>()
    const ofKey = new Map<string, string[]>()
    for (const event of events) {
      const id = `${event.Index} ${event.Key}`
      const lines = units.get(id)
      if (lines) lines.push(lineOf(event))
      else {
        units.set(id, [lineOf(event)])
        const before = ofKey.get(event.Key) ?? []
        older.set(id, before)
        ofKey.set(event.Key, [...before, id])
      }
    }
    for (const { unit, askedAt, at } of this.delivered) {
      const id = idOf(unit)
      if (unit.Events.map(lineOf).join() !== units.get(id)?.join())
        throw new HistoryError(
          `the group was given ${JSON.stringify(unit)}, and the log has ${units.get(id)?.join()}`
        )
      if (!this.haveRestores && (this.acknowledged.get(id) ?? Infinity) < askedAt)
        throw new HistoryError(`the group was given ${id} after its acknowledgement`)
      const skipped = older.get(id)?.find(each => (this.acknowledging.get(each) ?? Infinity) > at)
      if (skipped !== undefined)
        throw new HistoryError(`the group was given ${id} before ${skipped} was acknowledged`)
    }
  }
}

/** Returns the text of an answer; undefined unless it is a success. */
const textOf = (reply: Reply): string | undefined =>
  reply.kind === 'answered' && reply.status === OK ? reply.text : undefined

export class Member implements Follower {
  readonly #requests: Requests

  constructor(
    private readonly scene: Scene,
    private readonly group: Group,
    readonly client: Client
  ) {
    this.#requests = new Requests(scene, client)
  }

  /** Receives units, and acknowledges or rejects them, until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    const { world, isOpen } = this.scene
    while (!isOver() && !(await this.#create())) await world.pause(RETRY)
    while (!isOver()) {
      const units = await this.#receive()
      if (units.length === 0) {
        await world.pause(RETRY)
        continue
      }
      const { random } = this.#requests
      if (isOpen()) await world.pause(random.next() * MOST_HELD)
      await (isOpen() && random.below(5) === 0 ? this.#reject(units) : this.#acknowledge(units))
    }
  }

  isComplete(events: readonly ShownEvent[]): boolean {
    return this.group.has(events)
  }

  check(events: readonly ShownEvent[]): void {
    this.group.check(events)
  }

  /** Creates the group's cursor, and returns true if it exists then. */
  async #create(): Promise<boolean> {
    const body = {
      Topics: [`KV:${PREFIX}`],
      Index: 0,
      Group: { VisibilityTimeout: '2s', MaxDeliveries: 100 }
    }
    // This sets its position, so it is done once, unless restores do so as well.
    const headers = this.scene.haveRestores ? undefined : { 'X-Service-Idempotency-Key': CURSOR }
    const reply = await this.#send('PUT', '', body, headers)
    return textOf(reply) !== undefined
  }

  async #receive(): Promise<readonly Unit[]> {
    const { group } = this
    const askedAt = group.next()
    const query = `/receive?member=${this.client.process.name}&limit=${MOST_UNITS}&wait=1s`
    const reply = await this.#send('POST', query)
    // A restore has deleted the cursor, if its snapshot is older.
    if (reply.kind === 'answered' && reply.status === NOT_FOUND) await this.#create()
    const text = textOf(reply)
    const units: readonly Unit[] = text === undefined ? [] : JSON.parse(text)
    const at = group.next()
    for (const unit of units) group.delivered.push({ unit, askedAt, at })
    return units
  }

  async #reject(units: readonly Unit[]): Promise<void> {
    await this.#send('POST', '/nack', { Receipts: units.map(({ Receipt }) => Receipt), Delay: '100ms' })
  }

  async #acknowledge(units: readonly Unit[]): Promise<void> {
    const { group } = this
    const sentAt = group.next()
    for (const unit of units)
      if (!group.acknowledging.has(idOf(unit))) group.acknowledging.set(idOf(unit), sentAt)
    const text = textOf(await this.#send('POST', '/ack', { Receipts: units.map(({ Receipt }) => Receipt) }))
    if (text === undefined) {
      for (const unit of units) group.unanswered.add(idOf(unit))
      return
    }
    const { Settled }: { readonly Settled: readonly string[] } = JSON.parse(text)
    const answeredAt = group.next()
    for (const unit of units)
      if (Settled.includes(unit.Receipt) && !group.acknowledged.has(idOf(unit)))
        group.acknowledged.set(idOf(unit), answeredAt)
  }

  #send(method: string, query: string, body?: object, headers?: Outgoing['headers']): Promise<Reply> {
    const path = `/v1/event/cursor/${CURSOR}${query}`
    return this.#requests.send({ method, path, headers, body: body && JSON.stringify(body) })
  }
}
