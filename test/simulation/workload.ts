// The workload: each client sends one request after the other to servers that the seed chooses.
import type { Client, Outgoing, Reply } from './client.js'
import type { Machine } from './cluster.js'
import { HistoryError, type History, type ReadSeen, type WriteSeen } from './history.js'
import type { World } from './world.js'

const KEYS = 12
/** Between two operations of a client, in ms. */
const MOST_PAUSE = 100
/** Before an idempotent request is sent again, in ms. */
const RETRY = 200
const SERVER_ERROR = 500
const NOT_FOUND = 404

interface Scene {
  readonly world: World
  readonly machines: readonly Machine[]
  readonly history: History
  /** False when no operation may begin any more. */
  readonly isOpen: () => boolean
}

type Entry = { readonly Key: string; readonly Value: string | null; readonly ModifyIndex: number }

const textOf = (value: string | null): string => Buffer.from(value ?? '', 'base64').toString()

/** An entry as it was last read. */
interface Known {
  readonly key: string
  readonly index: number
}

export class Actions {
  #lastValue = 0
  #known: Known | undefined

  constructor(
    private readonly scene: Scene,
    private readonly client: Client
  ) {}

  /** Runs operations one after the other until the scene closes. @returns how many */
  async run(): Promise<number> {
    const { world, isOpen } = this.scene
    let count = 0
    for (; isOpen(); count++) {
      await this.#next()
      await world.pause(world.random.next() * MOST_PAUSE)
    }
    return count
  }

  #next(): Promise<void> {
    const choices = [
      () => this.#put(),
      () => this.#put(),
      () => this.#putOnce(),
      () => this.#checkAndSet(),
      () => this.#transact(),
      () => this.#delete(),
      () => this.#read(''),
      () => this.#read(''),
      () => this.#read('?consistent'),
      () => this.#read('?stale'),
      () => this.#list()
    ]
    const chosen = choices[this.scene.world.random.below(choices.length)]
    return chosen ? chosen() : Promise.resolve()
  }

  #key(): string {
    return `app/${this.scene.world.random.below(KEYS)}`
  }

  #value(): string {
    return `${this.client.process.name}-${++this.#lastValue}`
  }

  async #send(outgoing: Outgoing): Promise<Reply> {
    const { machines, world } = this.scene
    const machine = machines[world.random.below(machines.length)]
    if (!machine) throw new Error('the scene has no machines')
    const reply = await this.client.send(machine.port, outgoing)
    const { name } = this.client.process
    if (reply.kind === 'answered' && reply.status === SERVER_ERROR && !reply.isUnknown)
      throw new HistoryError(`${outgoing.method} ${outgoing.path} failed: ${reply.text}`)
    const result = reply.kind === 'answered' ? `${reply.status} ${reply.index}` : reply.kind
    world.note(`${name} ${outgoing.method} ${outgoing.path} ${machine.process.name}: ${result}`)
    return reply
  }

  async #write(operation: WriteSeen, outgoing: Outgoing, isDone: (text: string) => boolean): Promise<void> {
    const seen = this.scene.history.begin(this.client.process.name, operation)
    operation.outcome = outcomeOf(await this.#send(outgoing), isDone)
    this.scene.history.end(seen)
  }

  #put(): Promise<void> {
    const [key, value] = [this.#key(), this.#value()]
    const operation: WriteSeen = { kind: 'write', key, value, outcome: 'unknown' }
    return this.#write(operation, { method: 'PUT', path: `/v1/kv/${key}`, body: value }, isTrue)
  }

  /** Repeats a write with an idempotency key until its outcome is known. */
  async #putOnce(): Promise<void> {
    const { world, history, isOpen } = this.scene
    const [key, value] = [this.#key(), this.#value()]
    const operation: WriteSeen = { kind: 'write', key, value, outcome: 'unknown' }
    const seen = history.begin(this.client.process.name, operation)
    const headers = { 'X-Service-Idempotency-Key': value }
    for (;;) {
      const reply = await this.#send({ method: 'PUT', path: `/v1/kv/${key}`, body: value, headers })
      operation.outcome = outcomeOf(reply, isTrue)
      // A refusal of a later attempt says nothing of an earlier one.
      if (operation.outcome === 'acknowledged' || !isOpen()) break
      await world.pause(RETRY)
    }
    if (operation.outcome === 'refused') operation.outcome = 'unknown'
    history.end(seen)
  }

  async #checkAndSet(): Promise<void> {
    const known = this.#known
    if (!known) return this.#read('')
    const operation: WriteSeen = {
      kind: 'write',
      key: known.key,
      value: this.#value(),
      cas: known.index,
      outcome: 'unknown'
    }
    const path = `/v1/kv/${known.key}?cas=${known.index}`
    await this.#write(operation, { method: 'PUT', path, body: operation.value }, isTrue)
  }

  /** Sets two keys in one commit. */
  async #transact(): Promise<void> {
    const { history } = this.scene
    const first = this.scene.world.random.below(KEYS)
    const keys = [`app/${first}`, `app/${(first + 1) % KEYS}`]
    const operations = keys.map((key): WriteSeen => ({
      kind: 'write',
      key,
      value: this.#value(),
      outcome: 'unknown'
    }))
    const seen = operations.map(operation => history.begin(this.client.process.name, operation))
    const body = JSON.stringify(
      operations.map(({ key, value }) => ({
        KV: { Verb: 'set', Key: key, Value: Buffer.from(value).toString('base64') }
      }))
    )
    const outcome = outcomeOf(await this.#send({ method: 'PUT', path: '/v1/txn', body }), () => true)
    for (const operation of operations) operation.outcome = outcome
    for (const each of seen) history.end(each)
  }

  async #delete(): Promise<void> {
    await this.#send({ method: 'DELETE', path: `/v1/kv/${this.#key()}` })
  }

  async #read(query: '' | '?consistent' | '?stale'): Promise<void> {
    const key = this.#key()
    const operation: ReadSeen = { kind: 'read', isStale: query === '?stale', seen: undefined }
    const seen = this.scene.history.begin(this.client.process.name, operation)
    const reply = await this.#send({ method: 'GET', path: `/v1/kv/${key}${query}` })
    if (reply.kind === 'answered' && reply.status < SERVER_ERROR) {
      const [entry] = entriesIn(reply)
      operation.seen = new Map([[key, entry && textOf(entry.Value)]])
      this.#known = { key, index: entry?.ModifyIndex ?? 0 }
    }
    this.scene.history.end(seen)
  }

  async #list(): Promise<void> {
    const operation: ReadSeen = { kind: 'read', isStale: false, seen: undefined }
    const seen = this.scene.history.begin(this.client.process.name, operation)
    const reply = await this.#send({ method: 'GET', path: '/v1/kv/app/?recurse' })
    if (reply.kind === 'answered' && reply.status < SERVER_ERROR) {
      const found = new Map(entriesIn(reply).map(({ Key, Value }) => [Key, textOf(Value)]))
      operation.seen = new Map(
        Array.from({ length: KEYS }, (_, number) => [`app/${number}`, found.get(`app/${number}`)])
      )
    }
    this.scene.history.end(seen)
  }
}

const entriesIn = (reply: Reply & { kind: 'answered' }): readonly Entry[] =>
  reply.status === NOT_FOUND ? [] : JSON.parse(reply.text)

const isTrue = (text: string): boolean => text.trim() === 'true'

const outcomeOf = (reply: Reply, isDone: (text: string) => boolean): WriteSeen['outcome'] => {
  if (reply.kind !== 'answered') return reply.kind === 'not-sent' ? 'refused' : 'unknown'
  // Every other failure says that nothing was changed.
  if (reply.isUnknown) return 'unknown'
  return reply.status === 200 && isDone(reply.text) ? 'acknowledged' : 'refused'
}
