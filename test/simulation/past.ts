// Reads of earlier states, checked against the log that is left.
import { entriesIn, textOf, type KeyOperations } from './keys.js'
import type { Requests } from './requests.js'

const FOUND = 200
const NOT_FOUND = 404

export class PastReads {
  constructor(
    private readonly requests: Requests,
    private readonly keys: KeyOperations
  ) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [() => this.#read()]

  /** Reads a key as of any commit so far. What was pruned is refused. */
  async #read(): Promise<void> {
    const { scene, random } = this.requests
    const key = this.keys.anyKey()
    const index = 1 + random.below(Math.max(1, scene.commits.newest))
    const reply = await this.requests.send({ method: 'GET', path: `/v1/kv/${key}?at=${index}` })
    if (reply.kind !== 'answered' || (reply.status !== FOUND && reply.status !== NOT_FOUND)) return
    const [entry] = entriesIn(reply)
    scene.history.past.push({ client: this.requests.name, key, index, value: entry && textOf(entry.Value) })
  }
}
