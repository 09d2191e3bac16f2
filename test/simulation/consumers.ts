// Consumers of the event stream, each with a cursor of its own. What they received is checked against the log that is left.
import type { Client, Reply } from './client.js'
import { Deliveries, type Delivery, type Message } from './deliveries.js'
import { Requests, type Scene } from './requests.js'
import { lineOf, type Follower, type ShownEvent } from './subscribers.js'

/** In ms: how long a consumer stays connected. */
const MOST_CONNECTED = 3000
const RETRY = 50
const OK = 200
const NOT_FOUND = 404

/** A position that a server showed. */
interface ShownPosition {
  readonly floor: number
  readonly index: number
}

export class Consumer implements Follower {
  readonly #requests: Requests
  readonly #deliveries: Deliveries
  readonly #positions: ShownPosition[] = []
  #acknowledged = 0
  #asked = 0

  constructor(
    private readonly scene: Scene,
    readonly client: Client
  ) {
    this.#requests = new Requests(scene, client)
    this.#deliveries = new Deliveries(client.process.name)
  }

  /** Consumes the changes of keys until `isOver`. @throws HistoryError if the cursor is at a position that was never asked for */
  async run(isOver: () => boolean): Promise<void> {
    const { world } = this.scene
    while (!isOver()) {
      const position = await this.#position()
      const read = position === undefined ? [] : await this.#consume()
      const next = this.#requests.pick(read)
      if (position !== undefined && next !== undefined && next > position) await this.#move(position, next)
      await world.pause(RETRY)
    }
  }

  /** True, since it reads at its own pace. */
  isComplete(): boolean {
    return true
  }

  /** @throws HistoryError if an event was skipped, repeated after it was acknowledged, changed or at another place */
  check(events: readonly ShownEvent[]): void {
    this.#deliveries.check(events)
    for (const { floor, index } of this.#positions) {
      const lost = events.find(event => event.Index > index && event.Index <= floor)
      if (lost)
        throw this.#deliveries.error(`is at ${index} again, before the acknowledged event ${lineOf(lost)}`)
    }
    if (this.#acknowledged === 0) throw this.#deliveries.error('never moved')
  }

  /** Nothing up to this index may be delivered again, unless a restore takes the cursor back. */
  get #floor(): number {
    return this.scene.haveRestores ? 0 : this.#acknowledged
  }

  /** Creates the cursor if there is none, which may be one that a restore has deleted. @throws HistoryError */
  async #position(): Promise<number | undefined> {
    const floor = this.#floor
    const reply = await this.#send('GET', '')
    if (reply.kind !== 'answered') return undefined
    if (reply.status === NOT_FOUND) await this.#send('PUT', '', { Topics: ['KV'], Lease: '2s', Index: 0 })
    if (reply.status !== OK) return undefined
    const { Index: index }: { Index: number } = JSON.parse(reply.text)
    if (index > this.#asked)
      throw this.#deliveries.error(`is at ${index}, although it was only moved to ${this.#asked}`)
    this.#positions.push({ floor, index })
    return index
  }

  /** Returns the indexes of the received messages. */
  async #consume(): Promise<readonly number[]> {
    const { world, machines } = this.scene
    const machine = this.#requests.pick(machines)
    const delivery: Delivery = { floor: this.#floor, ceiling: this.#asked, lines: [] }
    this.#deliveries.add(delivery)
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
}
