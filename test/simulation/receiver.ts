// A receiver of a webhook. What it accepted is checked against the log that is left.
import http, { type ServerResponse } from 'node:http'
import type { Client } from './client.js'
import { Deliveries, type Message } from './deliveries.js'
import { Requests, type Scene } from './requests.js'
import { lineOf, type Follower, type ShownEvent } from './subscribers.js'

const PORT = 9000
/** In ms: how often it looks whether the webhook is there. */
const CHECK = 500
const NOT_FOUND = 404
/** In ms: how late an answer may be; servers wait for 5 s. */
const MOST_LATE = 10_000
/** Of ten requests, how many are accepted at once, and how many later. */
const ACCEPTED = 6
const DELAYED = 8

interface Delivered {
  readonly Messages: readonly Message[]
  readonly LastIndex: number
}

export class Receiver implements Follower {
  readonly #requests: Requests
  readonly #deliveries: Deliveries
  /** The first body by its first event. */
  readonly #bodies = new Map<string, string>()
  /** The newest index that it has accepted. */
  #accepted = 0

  constructor(
    private readonly scene: Scene,
    readonly client: Client
  ) {
    this.#requests = new Requests(scene, client)
    this.#deliveries = new Deliveries(client.process.name)
  }

  /** Listens, and creates the webhook. Resolves when it is over. */
  async run(isOver: () => boolean): Promise<void> {
    const { world } = this.scene
    http
      .createServer((request, response) => {
        const pieces: Buffer[] = []
        request.on('error', () => {})
        request.on('data', (piece: Buffer) => pieces.push(piece))
        request.on('end', () => this.#receive(Buffer.concat(pieces).toString(), response))
      })
      .listen({ port: PORT }, () => {})
    while (!isOver()) {
      await this.#ensure()
      await world.pause(CHECK)
    }
  }

  isComplete(events: readonly ShownEvent[]): boolean {
    return this.#accepted >= (events.at(-1)?.Index ?? 0)
  }

  /** @throws HistoryError if an event was skipped, changed or at another place, or a repeated request has another body */
  check(events: readonly ShownEvent[]): void {
    this.#deliveries.check(events)
  }

  /** Creates the webhook if there is none, which may be one that a restore has deleted. */
  async #ensure(): Promise<void> {
    const path = `/v1/event/cursor/${this.client.process.name}`
    const reply = await this.#requests.send({ method: 'GET', path })
    if (reply.kind !== 'answered' || reply.status !== NOT_FOUND) return
    const body = JSON.stringify({ Topics: ['KV'], URL: `http://127.0.0.1:${PORT}/`, Index: 0 })
    await this.#requests.send({ method: 'PUT', path, body })
  }

  #receive(body: string, response: ServerResponse): void {
    const { Messages, LastIndex }: Delivered = JSON.parse(body)
    const lines = Messages.flatMap(({ Events = [] }) => Events.map(lineOf))
    this.#deliveries.add({ floor: 0, ceiling: this.#accepted, lines })
    const [first = ''] = lines
    const known = this.#bodies.get(first) ?? body
    this.#bodies.set(first, known)
    // A restore takes the cursor back, from where requests may be divided differently.
    if (known !== body && !this.scene.haveRestores)
      throw this.#deliveries.error(`sent ${body} after ${known}`)
    const chosen = this.#requests.random.below(10)
    this.scene.world.note(`${this.client.process.name} received up to ${LastIndex}: ${chosen}`)
    const accept = (): void => {
      this.#accepted = Math.max(this.#accepted, LastIndex)
      response.writeHead(204).end()
    }
    if (chosen < ACCEPTED) accept()
    else if (chosen < DELAYED) this.scene.world.after(this.#requests.random.next() * MOST_LATE, accept)
    else response.writeHead(503).end()
  }
}
