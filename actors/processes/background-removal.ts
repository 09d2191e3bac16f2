// Empties and removes what is marked for deletion, in the background (spec: tenancy.md §3, §4.3, §13 row 4).
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../../projections/table.js'
import { Views } from '../../projections/views.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { ActorSystem } from '../system.js'
import type { StepResult } from './removal/machine.js'
import { removableNamespace, removablePartition, type Phase, type Removable } from './removal/removable.js'
import { Removals } from './removal/removals.js'
import { Sweeper } from './removal/sweeper.js'

const REMOVABLES: readonly Removable[] = [removablePartition, removableNamespace]

type PhaseStep = () => Promise<'more' | 'later' | 'empty'>

/**
 * A process for each marked thing. The mark in the log is all that it knows, so that a restart, or read models made anew,
 * resume where it was.
 */
@scoped(Lifecycle.ContainerScoped)
export class BackgroundRemoval {
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
    this.#committer.signals.on('applied', ({ Events }) => {
      for (const event of Events)
        for (const removable of REMOVABLES) {
          const marked = removable.markedBy(event)
          if (marked) this.#begin(removable, marked)
        }
    })
    this.#committer.signals.on('rebuilt', () => this.#resume())
    this.#resume()
  }

  stop(): void {
    this.#removals.stop()
  }

  #resume(): void {
    for (const removable of REMOVABLES)
      for (const tenancy of removable.marked(this.#views)) this.#begin(removable, tenancy)
  }

  #begin(removable: Removable, tenancy: Tenancy): void {
    const steps = removable.phases.map(phase => this.#stepOf(phase, tenancy))
    this.#removals.begin(
      `${removable.kind}/${spaceOf(tenancy)}`,
      () => this.#step(removable, tenancy, steps),
      () => removable.isMarked(this.#views, tenancy)
    )
  }

  #stepOf(phase: Phase, tenancy: Tenancy): PhaseStep {
    if (typeof phase === 'function') return async () => (phase(this.#views, tenancy) ? 'empty' : 'later')
    const emptying = this.#sweeper.emptying(phase, tenancy)
    return () => emptying.step()
  }

  async #step(removable: Removable, tenancy: Tenancy, steps: readonly PhaseStep[]): Promise<StepResult> {
    // Never within the decision that marked it.
    await setImmediate()
    if (!removable.isMarked(this.#views, tenancy)) return 'gone'
    for (const step of steps) {
      const result = await step()
      if (result !== 'empty') return result
    }
    await removable.remove(this.#system, { tenancy, caller: SERVER, at: this.#clock.now() })
    return 'gone'
  }
}
