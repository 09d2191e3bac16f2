// Reads of earlier states, checked against the log that is left.
import { valuesIn, type KeyOperations } from './keys.js'
import type { Answer, Requests } from './requests.js'

const FOUND = 200
const NOT_FOUND = 404

type Seen = Iterable<readonly [key: string, value: string | undefined]>

export class PastReads {
  constructor(
    private readonly requests: Requests,
    private readonly keys: KeyOperations
  ) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [
    () => this.#readOne(),
    () => this.#read('app/?recurse&', valuesIn),
    () => this.#list()
  ]

  /** Reads a key, or all, as of any commit so far. What was pruned is refused. */
  async #read(path: string, seenIn: (reply: Answer) => Seen): Promise<void> {
    const { scene, name, random } = this.requests
    const index = 1 + random.below(Math.max(1, scene.commits.newest))
    const reply = await this.requests.send({ method: 'GET', path: `/v1/kv/${path}at=${index}` })
    if (reply.kind !== 'answered' || (reply.status !== FOUND && reply.status !== NOT_FOUND)) return
    for (const [key, value] of seenIn(reply)) scene.history.past.push({ client: name, key, index, value })
  }

  #readOne(): Promise<void> {
    const key = this.keys.anyKey()
    return this.#read(`${key}?`, reply => [[key, valuesIn(reply).get(key)]])
  }

  /** Lists the versions of a key that are retained. */
  async #list(): Promise<void> {
    const { scene, name } = this.requests
    const key = this.keys.anyKey()
    const path = `/v1/event/history?topic=KV&key=${encodeURIComponent(key)}&limit=1000`
    const reply = await this.requests.send({ method: 'GET', path })
    if (reply.kind !== 'answered' || reply.status !== FOUND) return
    const versions: readonly { readonly Index: number; readonly Base?: true }[] = JSON.parse(reply.text)
    const indexes = versions.flatMap(({ Index, Base }) => (Base ? [] : [Index])).toReversed()
    const base = versions.find(({ Base }) => Base)?.Index
    scene.history.listed.push({ client: name, key, index: reply.index, indexes, base })
  }
}
