// Reads the units of a consumer group from the log: the events of each key in each commit.
import { createHash } from 'node:crypto'
import type { UnitContent, UnitName } from '../../../actors/processes/group-unit.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Cursor } from '../../../events/cursor.js'
import type { Commit, Event } from '../../../events/envelope.js'
import { CommitsPruned } from '../../../events/log/log.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { getOrCreate } from '../../../projections/maps.js'
import { Message } from '../../../projections/stream/message.js'
import { Selector, type Subscription } from '../../../projections/stream/subscription.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import { cursorOwner } from '../cursor-access.js'
import { subscriptionOfCursor } from '../cursor-values.js'
import type { GroupDependencies } from './group-dependencies.js'

const UNIT_BYTES = 12

/** Returns a hash of the resource that an event is about. Names of resources need permissions to read; hashes do not. */
const unitOf = ({ Topic, Partition, Namespace, Key }: Event): string =>
  createHash('sha256')
    .update(JSON.stringify([Topic, Partition, Namespace, Key]))
    .digest()
    .toString('base64url', 0, UNIT_BYTES)

export class GroupReader {
  readonly #subscription: Subscription
  #selector: Selector | undefined

  constructor(
    private readonly services: GroupDependencies,
    private readonly cursor: Cursor
  ) {
    this.#subscription = subscriptionOfCursor(cursor)
  }

  /** Returns the units of a commit that the owner of the cursor may read. @throws FilterTooExpensive */
  unitsOf(commit: Commit, owner: Authorizer): readonly UnitContent[] {
    if (this.#selector?.authorizer !== owner) this.#selector = new Selector(this.#subscription, owner)
    const message = new Message(commit)
    const byUnit = new Map<string, Event[]>()
    for (const event of this.#selector.select(message))
      getOrCreate(byUnit, unitOf(event), (): Event[] => []).push(event)
    return [...byUnit].flatMap(([unit, events]) => {
      const line = message.part(events, 'plain')
      return line ? [{ index: commit.Index, unit, events, line }] : []
    })
  }

  /** Returns a unit of an earlier commit; undefined if the commit was pruned, or the owner may not read the unit. */
  async read({ Index, Unit }: UnitName, owner: Authorizer): Promise<UnitContent | undefined> {
    const { log, logger } = this.services
    try {
      for await (const [commit] of log.pages(Index))
        return commit && this.unitsOf(commit, owner).find(({ unit }) => unit === Unit)
    } catch (error) {
      if (!(error instanceof CommitsPruned)) throw error
      logger.warn({ cursor: this.cursor.Name, index: Index }, 'a parked unit of a consumer group was pruned')
    }
    return undefined
  }

  /** Returns true if a member may read a unit as the owner of the cursor does. */
  mayRead({ events }: UnitContent, owner: Authorizer, member: Authorizer): boolean {
    if (owner === member) return true
    const { sees } = this.#subscription
    // A redacted event is a new object.
    return events.every(event => {
      const seen = visibleEvent(member, event, sees)
      return seen === event || (seen !== undefined && visibleEvent(owner, event, sees) !== event)
    })
  }

  /** Returns the permissions of the cursor's owner, or why there are none. */
  owner(): Authorizer | Refusal {
    const { views, clock } = this.services
    const owner = cursorOwner(views, clock.now(), this.cursor, this.#subscription)
    return 'lack' in owner
      ? new Refusal('cursor.conflict', `The group receives no units: ${owner.lack}`)
      : owner.authority.authorizer
  }

  /** @throws Refusal without permissions */
  requiredOwner(): Authorizer {
    const owner = this.owner()
    if (owner instanceof Refusal) throw owner
    return owner
  }
}
