// Empties and removes namespaces that are marked for deletion (spec: tenancy.md §3, §13 row 4).
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import type { Commit, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent } from '../../events/namespace.js'
import { spaceOf } from '../../projections/table.js'
import { Views } from '../../projections/views.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { namespaceAggregate } from '../namespace/aggregate.js'
import { ActorSystem } from '../system.js'
import { namespaceLeftovers } from './removal/leftovers.js'
import type { StepResult } from './removal/machine.js'
import { Removals } from './removal/removals.js'
import { Sweeper, type Emptying } from './removal/sweeper.js'

/**
 * A process for each marked namespace. The mark in the log is all that it knows, so that a restart, or read models made
 * anew, resume where it was.
 */
@scoped(Lifecycle.ContainerScoped)
export class NamespaceRemoval {
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
    for (const { partition, namespace } of this.#views.namespaces.ending())
      this.#begin({ partition, namespace: namespace.Name })
  }

  #follow({ Events }: Commit): void {
    for (const event of Events)
      if (isNamespaceEvent(event) && event.Type === 'NamespaceUpserted' && event.Payload.Namespace.DeletedAt)
        this.#begin({ partition: event.Partition, namespace: event.Key })
  }

  #begin(tenancy: Tenancy): void {
    const emptying = this.#sweeper.emptying(namespaceLeftovers, tenancy)
    this.#removals.begin(spaceOf(tenancy), () => this.#step(tenancy, emptying))
  }

  async #step(tenancy: Tenancy, emptying: Emptying): Promise<StepResult> {
    // Never within the decision that marked the namespace.
    await setImmediate()
    if (!this.#views.namespaces.get(tenancy)?.isEnding) return 'gone'
    const result = await emptying.step()
    if (result !== 'empty') return result
    const at = this.#clock.now()
    const command = { name: 'RemoveNamespace', tenancy, data: null, caller: SERVER, at } as const
    await this.#system.ask(namespaceAggregate, command, () => undefined)
    return 'gone'
  }
}
