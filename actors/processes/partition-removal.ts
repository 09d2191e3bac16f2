// Empties and removes admin partitions that are marked for deletion (spec: tenancy.md §4.3).
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import type { Commit } from '../../events/envelope.js'
import { isPartitionEvent } from '../../events/partition.js'
import { Views } from '../../projections/views.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { partitionAggregate } from '../partition/aggregate.js'
import { ActorSystem } from '../system.js'
import { namespaceMarks, partitionLeftovers } from './removal/leftovers.js'
import type { StepResult } from './removal/machine.js'
import { Removals } from './removal/removals.js'
import { Sweeper, type Emptying } from './removal/sweeper.js'

/** A process for each marked partition: it marks the namespaces, waits for their end, and removes the nodes. */
@scoped(Lifecycle.ContainerScoped)
export class PartitionRemoval {
  readonly #views: Views
  readonly #system: ActorSystem
  readonly #committer: Committer
  readonly #clock: Clock
  readonly #sweeper: Sweeper
  readonly #removals = new Removals()

  constructor(views: Views, system: ActorSystem, committer: Committer, clock: Clock, sweeper: Sweeper) {
    this.#views = views
    this.#system = system
    this.#committer = committer
    this.#clock = clock
    this.#sweeper = sweeper
  }

  start(): void {
    this.#committer.signals.on('applied', commit => this.#follow(commit))
    this.#committer.signals.on('rebuilt', () => this.#resume())
    this.#resume()
  }

  stop(): void {
    this.#removals.stop()
  }

  #resume(): void {
    for (const { partition } of this.#views.partitions.ending()) this.#begin(partition.Name)
  }

  #follow({ Events }: Commit): void {
    for (const event of Events)
      if (isPartitionEvent(event) && event.Type === 'PartitionUpserted' && event.Payload.Partition.DeletedAt)
        this.#begin(event.Key)
  }

  #begin(partition: string): void {
    const tenancy = { partition, namespace: 'default' }
    const marking = this.#sweeper.emptying([namespaceMarks], tenancy)
    const emptying = this.#sweeper.emptying(partitionLeftovers, tenancy)
    this.#removals.begin(partition, () => this.#step(partition, marking, emptying))
  }

  async #step(partition: string, marking: Emptying, emptying: Emptying): Promise<StepResult> {
    // Never within the decision that marked the partition.
    await setImmediate()
    if (!this.#views.partitions.get(partition)?.isEnding) return 'gone'
    const marked = await marking.step()
    if (marked !== 'empty') return marked
    if (this.#views.namespaces.list(partition).length > 0) return 'later'
    const result = await emptying.step()
    if (result !== 'empty') return result
    const tenancy = { partition, namespace: 'default' }
    const at = this.#clock.now()
    const command = { name: 'RemovePartition', tenancy, data: null, caller: SERVER, at } as const
    await this.#system.ask(partitionAggregate, command, () => undefined)
    return 'gone'
  }
}
