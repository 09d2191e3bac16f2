// Consumers of the event stream, each with a cursor of its own. What they received is checked against the log that is left.
import type { Client, Reply } from './client.js'
import { HistoryError } from './history.js'
import { Requests, type Scene } from './requests.js'
import { lineOf, type ShownEvent } from './subscribers.js'

/** In ms: how long a consumer stays connected. */
const MOST_CONNECTED = 3000
const RETRY = 50
const OK = 200

type Message = { readonly Index?: number; readonly Events?: readonly ShownEvent[] }

/** What one connection received. */
interface Delivery {
  /** The newest acknowledged position before it. */
  readonly floor: number
  /** The newest position that was asked for before it. */
  readonly ceiling: number
  readonly lines: string[]
}

/** A position that a server showed. */
interface ShownPosition {
  readonly floor: number
  readonly index: number
}

export class Consumer {
  readonly #requests: Requests
  readonly #deliveries: Delivery[] = []
  readonly #positions: ShownPosition[] = []
  #acknowledged = 0
  #asked = 0

  constructor(
    private readonly scene: Scene,
    readonly client: Client
  ) {
    this.#requests = new Requests(scene, client)
  }

  /** Consumes the changes of keys until `isOver`. @throws HistoryError if the cursor is at a position that was never asked for */
  async run(isOver: () => boolean): Promise<void> {
    const { world } = this.scene
    while (!isOver() && !(await this.#create())) await world.pause(RETRY)
    while (!isOver()) {
      const position = await this.#position()
      const read = position === undefined ? [] : await this.#consume()
      const next = this.#requests.pick(read)
      if (position !== undefined && next !== undefined && next > position) await this.#move(position, next)
      await world.pause(RETRY)
    }
  }

  /** @throws HistoryError if an event was skipped, repeated after it was acknowledged, changed or at another place */
  check(events: readonly ShownEvent[]): void {
    const log = events.map(lineOf)
    const places = new Map(log.map((line, at) => [line, at]))
    for (const delivery of this.#deliveries) this.#checkDelivery(delivery, events, log, places)
    for (const { floor, index } of this.#positions) {
      const lost = events.find(event => event.Index > index && event.Index <= floor)
      if (lost) throw this.#error(`is at ${index} again, before the acknowledged event ${lineOf(lost)}`)
    }
    if (this.#acknowledged === 0) throw this.#error('never moved')
  }

  #checkDelivery(
    { floor, ceiling, lines }: Delivery,
    events: readonly ShownEvent[],
    log: readonly string[],
    places: ReadonlyMap<string, number>
  ): void {
    const [first] = lines
    if (first === undefined) return
    const start = places.get(first)
    if (start === undefined) throw this.#error(`was given ${first}, which is not in the log`)
    if ((events[start]?.Index ?? 0) <= floor)
      throw this.#error(`was given ${first} again, although ${floor} was acknowledged`)
    const before = events[start - 1]
    if (before && before.Index > ceiling) throw this.#error(`was not given ${lineOf(before)}`)
    for (const [at, line] of lines.entries())
      if (line !== log[start + at])
        throw this.#error(`was given ${line} where the log has ${log[start + at] ?? 'nothing'}`)
  }

  async #create(): Promise<boolean> {
    const reply = await this.#send('PUT', '', { Topics: ['KV'], Lease: '2s', Index: 0 })
    return reply.kind === 'answered' && reply.status === OK
  }

  /** @throws HistoryError */
  async #position(): Promise<number | undefined> {
    const floor = this.#acknowledged
    const reply = await this.#send('GET', '')
    if (reply.kind !== 'answered' || reply.status !== OK) return undefined
    const { Index: index }: { Index: number } = JSON.parse(reply.text)
    if (index > this.#asked) throw this.#error(`is at ${index}, although it was only moved to ${this.#asked}`)
    this.#positions.push({ floor, index })
    return index
  }

  /** Returns the indexes of the received messages. */
  async #consume(): Promise<readonly number[]> {
    const { world, machines } = this.scene
    const machine = this.#requests.pick(machines)
    const delivery: Delivery = { floor: this.#acknowledged, ceiling: this.#asked, lines: [] }
    this.#deliveries.push(delivery)
    const read: number[] = []
    const receive = (line: string): void => {
      const { Index, Events = [] }: Message = JSON.parse(line)
      if (Index === undefined) return
      read.push(Index)
      delivery.lines.push(...Events.map(lineOf))
    }
    const path = `/v1/event/stream?cursor=${this.#name}`
    if (machine)
      await this.client.follow(machine.port, path, this.#requests.random.next() * MOST_CONNECTED, receive)
    world.note(`${this.#name} left ${machine?.process.name} with ${delivery.lines.length} events`)
    return read
  }

  async #move(from: number, to: number): Promise<void> {
    this.#asked = Math.max(this.#asked, to)
    const reply = await this.#send('PUT', `?cas=${from}`, { Index: to })
    if (reply.kind === 'answered' && reply.status === OK && reply.text.trim() === 'true')
      this.#acknowledged = to
  }

  #send(method: string, query: string, body?: object): Promise<Reply> {
    const path = `/v1/event/cursor/${this.#name}${query}`
    return this.#requests.send({ method, path, body: body && JSON.stringify(body) })
  }

  get #name(): string {
    return this.client.process.name
  }

  #error(text: string): HistoryError {
    return new HistoryError(`the cursor ${this.#name} ${text}`)
  }
}
