// The workload: what each client does, one operation after the other.
import type { Client } from './client.js'
import { ErasureOperations } from './erasures.js'
import { HistoryError } from './history.js'
import { KeyOperations } from './keys.js'
import { LockOperations } from './locks.js'
import { PastReads } from './past.js'
import { Requests, type Scene } from './requests.js'
import { TokenOperations } from './tokens.js'

/** Between two operations of a client, in ms. */
const MOST_PAUSE = 100
/** How long a blocking query waits, in ms. */
const WAIT = 3000

/** Operations of all kinds. */
export class Actions {
  readonly #choices: readonly (() => Promise<unknown>)[]
  readonly #requests: Requests

  constructor(
    private readonly scene: Scene,
    client: Client
  ) {
    const requests = (this.#requests = new Requests(scene, client))
    const keys = new KeyOperations(requests)
    this.#choices = [
      ...keys.choices,
      ...new PastReads(requests, keys).choices,
      ...new TokenOperations(requests, keys).choices,
      ...new LockOperations(requests).choices,
      ...new ErasureOperations(requests).choices
    ]
  }

  /** Runs operations until the scene closes. */
  async run(): Promise<void> {
    const { world, isOpen } = this.scene
    const requests = this.#requests
    while (isOpen()) {
      await requests.pick(this.#choices)?.()
      await world.pause(requests.random.next() * MOST_PAUSE)
    }
  }
}

/** Blocking queries, one after the other. */
export class Watcher {
  readonly #requests: Requests

  constructor(
    private readonly scene: Scene,
    client: Client
  ) {
    this.#requests = new Requests(scene, client)
  }

  /** Watches the keys until the scene closes. @throws HistoryError if the index goes back, or an answer comes without a reason */
  async run(): Promise<void> {
    const { world, isOpen, haveRestores } = this.scene
    const keys = new KeyOperations(this.#requests)
    for (let index = 0; isOpen();) {
      const sentAt = world.now
      const reply = await keys.list(`&index=${index}&wait=${WAIT}ms`)
      const waited = world.now - sentAt
      if (reply.kind !== 'answered' || (reply.status !== 200 && reply.status !== 404)) {
        await world.pause(MOST_PAUSE)
        continue
      }
      if (reply.index < index)
        throw new HistoryError(`a blocking query went back from index ${index} to ${reply.index}`)
      // The end of a restore ends all blocking queries.
      if (!haveRestores && index > 0 && reply.index === index && waited < WAIT)
        throw new HistoryError(`a blocking query with index ${index} answered the same after ${waited} ms`)
      index = reply.index
    }
  }
}
