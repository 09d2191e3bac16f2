// An operator, who saves snapshots and restores them. What each restore left is checked against its snapshot.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Archive, Restore } from './archive.js'
import type { Client } from './client.js'
import { HistoryError, type Change } from './history.js'
import { Requests, type Scene } from './requests.js'

/** Between two operations, in ms. */
const MOST_PAUSE = 800
const OK = 200
const CONFLICT = 409
/** Of the keys that sessions do not lock. */
const KEYS = 'app/'

interface Saved {
  readonly digest: string
  readonly bytes: Buffer
}

/** A restore that was answered as complete, as of an index. */
interface Acknowledged {
  readonly digest: string
  readonly index: number
}

/** Returns the values of the keys in a snapshot. */
const valuesIn = (snapshot: Buffer): ReadonlyMap<string, string> => {
  const lines = gunzipSync(snapshot).toString().split('\n')
  const events = lines.filter(line => line.includes('"Topic":"KV"')).map(line => JSON.parse(line))
  return new Map(
    events
      .map(({ Payload: { KV } }): [string, string] => [KV.Key, Buffer.from(KV.Value, 'base64').toString()])
      .filter(([key]) => key.startsWith(KEYS))
  )
}

export class Restorer {
  readonly #requests: Requests
  readonly #saved: Saved[] = []
  readonly #acknowledged: Acknowledged[] = []

  constructor(
    private readonly scene: Scene,
    readonly client: Client
  ) {
    this.#requests = new Requests(scene, client)
  }

  /** Saves and restores until the scene closes. */
  async run(): Promise<void> {
    const { world, isOpen } = this.scene
    const { random } = this.#requests
    while (isOpen()) {
      await world.pause(random.next() * MOST_PAUSE)
      const saved = this.#requests.pick(this.#saved)
      if (saved && random.below(2) === 0) await this.#restore(saved)
      else await this.#save()
    }
  }

  /** @throws HistoryError if a restore did not end, began before another one ended, or left a key that is neither its snapshot's nor a client's */
  check({ restores, changes }: Archive): void {
    for (const [at, restore] of restores.entries()) {
      const { begun, ended, digest, isComplete } = restore
      if (ended === undefined) throw new HistoryError(`the restore of commit ${begun} did not end`)
      if (ended > (restores[at + 1]?.begun ?? Infinity))
        throw new HistoryError(`two restores ran at the same time after commit ${begun}`)
      const saved = this.#saved.find(each => each.digest === digest)
      if (!saved)
        throw new HistoryError(`commit ${begun} restores the snapshot ${digest}, which no client saved`)
      if (isComplete) checkKeys(changes, restore, ended, valuesIn(saved.bytes))
    }
    for (const { digest, index } of this.#acknowledged)
      if (!restores.some(each => each.digest === digest && each.isComplete && (each.ended ?? 0) <= index))
        throw new HistoryError(`the restore acknowledged at ${index} is not in the log`)
  }

  async #save(): Promise<void> {
    const reply = await this.#requests.send({ method: 'GET', path: '/v1/snapshot?state' })
    if (reply.kind !== 'answered' || reply.status !== OK) return
    const digest = createHash('sha256').update(reply.bytes).digest('hex')
    this.#saved.push({ digest, bytes: reply.bytes })
  }

  async #restore({ digest, bytes }: Saved): Promise<void> {
    const { world } = this.scene
    const reply = await this.#requests.send({ method: 'PUT', path: '/v1/snapshot', body: bytes })
    if (reply.kind !== 'answered') return
    if (reply.status === OK) this.#acknowledged.push({ digest, index: reply.index })
    else if (reply.status !== CONFLICT) world.note(`the restore of ${digest} failed: ${reply.text}`)
  }
}

/** @throws HistoryError */
const checkKeys = (
  changes: readonly Change[],
  { begun }: Restore,
  ended: number,
  archived: ReadonlyMap<string, string>
): void => {
  const last = new Map<string, Change>()
  for (const change of changes)
    if (change.index <= ended && change.key.startsWith(KEYS)) last.set(change.key, change)
  for (const key of new Set([...archived.keys(), ...last.keys()])) {
    const change = last.get(key)
    if (change?.isWrite && change.index > begun) continue
    if (change?.value !== archived.get(key))
      throw new HistoryError(
        `commit ${ended} ends a restore that left ${change?.value} as ${key}: its snapshot has ${archived.get(key)}`
      )
  }
}
