// The resources of the base snapshot of a pruned log: the last event of each.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../actors/refusal.js'
import type { LogReader } from '../../events/log/log.js'
import type { BaseSnapshots } from '../../events/log/snapshots/base-snapshots.js'
import type { SnapshotReader } from '../../events/log/snapshots/read.js'
import { baseSnapshotOf, type SnapshotStores } from '../../projections/restore-views.js'
import { eventOf, type Fact } from '../../projections/projection.js'
import { BESIDE_LOG, EVENT_LOG } from '../../server/settings/ports.js'
import { type Commit, NO_CALLER } from '../../events/envelope.js'
import {
  concerns,
  type HistoryTarget,
  type ResourceVersion
} from '../../projections/history/history-target.js'

/** Wraps the event of a fact in a commit without further metadata. */
const commitOf = (fact: Fact, index: number): Commit => ({
  Index: fact.Index || index,
  Time: '',
  By: NO_CALLER,
  Events: [eventOf(fact)]
})

@scoped(Lifecycle.ContainerScoped)
export class BaseSnapshotResources {
  /** Index of the base snapshot for the oldest retained commit, by this commit and the base snapshots that were here. */
  #known = { of: '', index: 0 }

  constructor(
    @inject(EVENT_LOG) private readonly log: Pick<LogReader, 'firstIndex' | 'durableIndex'>,
    @inject(BESIDE_LOG, { isOptional: true }) private readonly beside?: SnapshotStores
  ) {}

  /** Returns the oldest index with a complete state; 0 for a log that was never pruned. @throws LogUnusable without a base */
  async index(): Promise<number> {
    const first = this.log.firstIndex
    // A base snapshot of an erasure stands for commits that can still be read.
    if (first === 1) return 0
    const bases = this.beside?.bases
    const of = [first, ...((await bases?.indexes()) ?? [])].join()
    if (this.#known.of !== of) this.#known = { of, index: await baseSnapshotOf(this.log, bases) }
    return this.#known.index
  }

  /** Returns the last version of a resource in a base snapshot; undefined without one. Cost: as `commits`. */
  async newest(base: number, resource: HistoryTarget): Promise<ResourceVersion | undefined> {
    const isOf = ({ Topic, Partition = 'default', Namespace, Key }: Fact): boolean =>
      Topic === resource.topic &&
      Partition === resource.partition &&
      Namespace === resource.namespace &&
      Key === resource.key
    for await (const commits of this.commits(base, [resource.topic], isOf))
      for (const commit of commits)
        for (const event of commit.Events)
          if (concerns(event, resource)) return { commit, event, isBase: true }
    return undefined
  }

  /**
   * Yields selected last events of a base snapshot, each as a commit at the index of the resource's last change, in an order in which
   * they can be folded. Cost: the complete base snapshot.
   * @param index from `index`
   * @throws Refusal `unavailable` if another one has replaced it
   */
  async *commits(
    index: number,
    topics: readonly string[],
    isWanted: (fact: Fact) => boolean
  ): AsyncGenerator<readonly Commit[]> {
    if (index === 0 || !this.beside) return
    const reader = await this.#open(index, this.beside.bases)
    try {
      for await (const { part, rows } of reader.blocks()) {
        // Parts with a dot in their name are not rows of resources.
        if (part.includes('.') || !topics.some(topic => rows.includes(`"Topic":${JSON.stringify(topic)}`)))
          continue
        const facts: readonly Fact[] = JSON.parse(rows)
        yield facts.filter(isWanted).map(fact => commitOf(fact, index))
      }
    } finally {
      await reader.close()
    }
  }
  async #open(index: number, bases: BaseSnapshots): Promise<SnapshotReader> {
    try {
      return await bases.open(index)
    } catch (error) {
      if ((await this.index()) === index) throw error
      throw new Refusal(
        'read.unavailable',
        'The base snapshot of the log was replaced during the read: repeat it'
      )
    }
  }
}
