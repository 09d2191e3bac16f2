import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import type { Tenancy } from '../../../events/envelope.js'
import { Views } from '../../../projections/read-models.js'
import { Clock } from '../../clock.js'
import { causeOf } from '../../aggregate.js'
import { ActorSystem } from '../../system.js'
import type { ResourceDeletion, RemainingResources } from './remaining-resources.js'

/** Limit of deletions per step, which share a flush of the log. */
const MAX_DELETIONS = 32
/** A step starts no deletion after this time, which bounds how long requests wait. */
const MAX_STEP_MS = 0.25

interface StepCounts {
  /** Number of attempted and of successful deletions. */
  readonly attempted: number
  readonly done: number
  readonly isOver: boolean
}

/** Runs one step at a time for all namespaces, so that many deletions cost requests as much as one. */
@scoped(Lifecycle.ContainerScoped)
export class DeletionSteps {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly clock: Clock
  ) {}

  /** @param mark returns the index of the commit that marked the tenancy for deletion, while it is marked */
  deleteContent(
    kinds: readonly RemainingResources[],
    tenancy: Tenancy,
    mark: () => number | undefined
  ): ContentDeletion {
    return new ContentDeletion(
      () => walk(kinds, this.views, tenancy),
      remaining => this.#step(remaining, mark)
    )
  }

  /** Runs some deletions and resolves when they are on disk. A refused one does not stop the others. */
  #step(remaining: Iterator<ResourceDeletion>, mark: () => number | undefined): Promise<StepCounts> {
    const run = this.#last.then(async () => {
      // Waiting requests run first.
      await setImmediate()
      const origin = { at: this.clock.now(), ...causeOf([mark()]) }
      const deadline = performance.now() + MAX_STEP_MS
      const attempted: Promise<unknown>[] = []
      let next = remaining.next()
      while (!next.done) {
        const isFull = attempted.push(next.value(this.system, origin)) === MAX_DELETIONS
        if (isFull || performance.now() >= deadline) break
        next = remaining.next()
      }
      const results = await Promise.allSettled(attempted)
      const done = results.filter(({ status }) => status === 'fulfilled').length
      return { attempted: attempted.length, done, isOver: next.done === true }
    })
    this.#last = run.catch(() => undefined)
    return run
  }
}

/** Repeats passes over the remaining resources until one finds nothing. */
class ContentDeletion {
  #walk: Iterator<ResourceDeletion> | undefined
  #attempted = 0
  #done = 0

  constructor(
    private readonly begin: () => Iterator<ResourceDeletion>,
    private readonly runStep: (remaining: Iterator<ResourceDeletion>) => Promise<StepCounts>
  ) {}

  /** `empty`: a complete pass found nothing. `later`: all deletions of a pass were refused. */
  async step(): Promise<'more' | 'later' | 'empty'> {
    const { attempted, done, isOver } = await this.runStep((this.#walk ??= this.begin()))
    this.#attempted += attempted
    this.#done += done
    if (!isOver) return 'more'
    const isEmpty = this.#attempted === 0
    const isStuck = this.#done === 0
    this.#walk = undefined
    this.#attempted = 0
    this.#done = 0
    return isEmpty ? 'empty' : isStuck ? 'later' : 'more'
  }
}

function* walk(
  kinds: readonly RemainingResources[],
  views: Views,
  tenancy: Tenancy
): Generator<ResourceDeletion> {
  for (const kind of kinds) yield* kind(views, tenancy)
}
