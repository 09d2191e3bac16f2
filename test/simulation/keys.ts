// Operations on keys.
import type { Reply } from './client.js'
import type { WriteSeen } from './history.js'
import { isTrue, outcomeOf, type Answer, type Requests } from './requests.js'

const KEYS = 12
const NOT_FOUND = 404
/** Before an idempotent request is sent again, in ms, at most. */
const RETRY = 1000

type Entry = { readonly Key: string; readonly Value: string | null; readonly ModifyIndex: number }

const textOf = (value: string | null): string => Buffer.from(value ?? '', 'base64').toString()

const entriesIn = (reply: Answer): readonly Entry[] =>
  reply.status === NOT_FOUND ? [] : JSON.parse(reply.text)

const keyOf = (number: number): string => `app/${number % KEYS}`

/** Returns the values of all keys in an answer. */
export const valuesIn = (reply: Answer): ReadonlyMap<string, string | undefined> => {
  const found = new Map(entriesIn(reply).map(({ Key, Value }) => [Key, textOf(Value)]))
  return new Map(Array.from({ length: KEYS }, (_, number) => [keyOf(number), found.get(keyOf(number))]))
}

/** An entry as it was last read. */
interface Known {
  readonly key: string
  readonly index: number
}

export class KeyOperations {
  #known: Known | undefined

  constructor(private readonly requests: Requests) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [
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
    () => this.list()
  ]

  /** @param query may wait for a change of the keys after an index, and how long */
  list(query = ''): Promise<Reply> {
    return this.requests.read({ method: 'GET', path: `/v1/kv/app/?recurse${query}` }, valuesIn)
  }

  /** What an answer shows of one key. */
  shown(key: string, reply: Answer): ReadonlyMap<string, string | undefined> {
    const [entry] = entriesIn(reply)
    this.#known = { key, index: entry?.ModifyIndex ?? 0 }
    return new Map([[key, entry && textOf(entry.Value)]])
  }

  anyKey(): string {
    return keyOf(this.requests.random.below(KEYS))
  }

  #write(key = this.anyKey()): WriteSeen & { readonly value: string } {
    return { kind: 'write', key, value: this.requests.newValue(), outcome: 'unknown' }
  }

  #put(): Promise<void> {
    const operation = this.#write()
    const path = `/v1/kv/${operation.key}`
    const isProved = this.requests.random.below(4) === 0
    const headers = isProved ? { 'X-Service-Checkpoint': 'true' } : undefined
    return this.requests.write(operation, { method: 'PUT', path, body: operation.value, headers }, isTrue)
  }

  /** Repeats a write with an idempotency key until its outcome is known. */
  async #putOnce(): Promise<void> {
    const { requests } = this
    const { world, history, isOpen } = requests.scene
    const operation = this.#write()
    const { key, value } = operation
    const seen = history.begin(requests.name, operation)
    const headers = { 'X-Service-Idempotency-Key': value }
    for (;;) {
      const reply = await requests.send({ method: 'PUT', path: `/v1/kv/${key}`, body: value, headers })
      operation.outcome = outcomeOf(reply, isTrue)
      // A refusal of a later attempt says nothing of an earlier one.
      if (operation.outcome === 'acknowledged' || !isOpen()) break
      await world.pause(requests.random.next() * RETRY)
    }
    if (operation.outcome !== 'acknowledged') operation.outcome = 'unknown'
    history.end(seen)
  }

  async #checkAndSet(): Promise<void> {
    const known = this.#known
    if (!known) return void (await this.#read(''))
    const operation: WriteSeen = { ...this.#write(known.key), cas: known.index }
    const path = `/v1/kv/${known.key}?cas=${known.index}`
    await this.requests.write(operation, { method: 'PUT', path, body: operation.value }, isTrue)
  }

  /** Sets two keys in one commit. */
  async #transact(): Promise<void> {
    const { name, scene, random } = this.requests
    const first = random.below(KEYS)
    const operations = [keyOf(first), keyOf(first + 1)].map(key => this.#write(key))
    const seen = operations.map(operation => scene.history.begin(name, operation))
    const body = JSON.stringify(
      operations.map(({ key, value }) => ({
        KV: { Verb: 'set', Key: key, Value: Buffer.from(value).toString('base64') }
      }))
    )
    const outcome = outcomeOf(await this.requests.send({ method: 'PUT', path: '/v1/txn', body }), () => true)
    for (const operation of operations) operation.outcome = outcome
    for (const each of seen) scene.history.end(each)
  }

  #delete(): Promise<Reply> {
    return this.requests.send({ method: 'DELETE', path: `/v1/kv/${this.anyKey()}` })
  }

  #read(query: '' | '?consistent' | '?stale'): Promise<Reply> {
    const key = this.anyKey()
    return this.requests.read(
      { method: 'GET', path: `/v1/kv/${key}${query}` },
      reply => this.shown(key, reply),
      query === '?stale'
    )
  }
}
