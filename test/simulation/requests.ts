// The requests of one client, to servers that the seed chooses. The trace has all of them, the history those that are checked.
import { seeded, type Random } from '../support/random.js'
import type { Client, Outgoing, Reply } from './client.js'
import type { Archive } from './archive.js'
import type { Machine } from './machine.js'
import { HistoryError, type History, type ReadSeen, type WriteSeen } from './history.js'
import type { Orders } from './erasures.js'
import type { SeenRoots } from './roots.js'
import type { World } from './world.js'

const OK = 200
const SERVER_ERROR = 500

export interface Scene {
  readonly world: World
  readonly machines: readonly Machine[]
  /** Of the machines. */
  readonly commits: Archive
  readonly history: History
  readonly roots: SeenRoots
  readonly orders: Orders
  /** Of all tokens that clients asked for, by their accessor. */
  readonly secrets: Map<string, string>
  /** True if an operator restores snapshots. */
  readonly haveRestores: boolean
  /** False when no operation may begin any more. */
  readonly isOpen: () => boolean
}

export type Answer = Reply & { readonly kind: 'answered' }

/** What an answer shows of keys and tokens; undefined for nothing. */
type Shown = ReadonlyMap<string, string | undefined> | undefined

export const isTrue = (text: string): boolean => text.trim() === 'true'

export const outcomeOf = (reply: Reply, isDone: (text: string) => boolean): WriteSeen['outcome'] => {
  if (reply.kind !== 'answered') return reply.kind === 'not-sent' ? 'refused' : 'unknown'
  // Every other failure says that nothing was changed.
  if (reply.isUnknown) return 'unknown'
  if (reply.status !== OK) return 'refused'
  return isDone(reply.text) ? 'acknowledged' : 'failed'
}

/** The contract gives this status to unreachable datacenters as well. */
const isInternalError = ({ status, isUnknown, text }: Answer): boolean =>
  status === SERVER_ERROR && !isUnknown && !text.startsWith('No path to datacenter')

/** A number for each name. */
const numberOf = (name: string): number => Buffer.from(name).reduce((sum, byte) => sum * 31 + byte, 0)

export class Requests {
  /** Its own, so that what a client does depends on nothing else. */
  readonly random: Random
  #lastValue = 0

  constructor(
    readonly scene: Scene,
    private readonly client: Client
  ) {
    this.random = seeded(scene.world.seed + numberOf(client.process.name))
  }

  get name(): string {
    return this.client.process.name
  }

  /** A value that no other write has. */
  newValue(): string {
    return `${this.name}-${++this.#lastValue}`
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.random.below(items.length)]
  }

  /** @throws HistoryError for an internal error of the server */
  async send(outgoing: Outgoing): Promise<Reply> {
    const { machines, world, roots } = this.scene
    const machine = this.pick(machines)
    if (!machine) throw new Error('the scene has no machines')
    const reply = await this.client.send(machine.port, outgoing)
    if (reply.kind === 'answered' && isInternalError(reply)) {
      // A server reports decayed files when it reads them.
      if (machines.some(({ mayReportDamage }) => mayReportDamage) && reply.text.includes('is damaged'))
        return { kind: 'unknown' }
      throw new HistoryError(`${outgoing.method} ${outgoing.path} failed: ${reply.text}`)
    }
    const result = reply.kind === 'answered' ? `${reply.status} ${reply.index}` : reply.kind
    world.note(`${this.name} ${outgoing.method} ${outgoing.path} ${machine.process.name}: ${result}`)
    if (reply.kind === 'answered' && reply.checkpoint) roots.add(reply.checkpoint, this.name)
    return reply
  }

  async write(operation: WriteSeen, outgoing: Outgoing, isDone: (text: string) => boolean): Promise<void> {
    const seen = this.scene.history.begin(this.name, operation)
    operation.outcome = outcomeOf(await this.send(outgoing), isDone)
    this.scene.history.end(seen)
  }

  /** @param shown returns what an answer below 500 shows */
  async read(outgoing: Outgoing, shown: (reply: Answer) => Shown, isStale = false): Promise<Reply> {
    const operation: ReadSeen = { kind: 'read', isStale, seen: undefined }
    const seen = this.scene.history.begin(this.name, operation)
    const reply = await this.send(outgoing)
    if (reply.kind === 'answered' && reply.status < SERVER_ERROR) operation.seen = shown(reply)
    this.scene.history.end(seen)
    return reply
  }
}
