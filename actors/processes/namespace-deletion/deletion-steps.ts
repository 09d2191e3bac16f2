// Deletes what is left of namespaces and partitions in steps of bounded size, so that others are served
// meanwhile.
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import type { Tenancy } from '../../../events/envelope.js'
import { Views } from '../../../projections/read-models.js'
import { Clock } from '../../clock.js'
import { causeOf } from '../../command.js'
import { ActorSystem } from '../../system.js'
import type { ResourceDeletion, RemainingResources } from './remaining-resources.js'

/** Most deletions of one step. They share a flush of the log. */
const MOST = 32
/**
 * A step takes no further thing after so many milliseconds: nobody waits for longer than that and the
 * deletion under way.
 */
const LONGEST_MS = 0.25

/** What a step came to. */
interface Swept {
  /** How many deletions were asked for, and how many of those were not refused. */
  readonly asked: number
  readonly done: number
  /** Whether the walk has come to its end. */
  readonly isOver: boolean
}

/**
 * One step at a time, whatever number of namespaces is being deleted: all of them together cost others as
 * much as one.
 */
@scoped(Lifecycle.ContainerScoped)
export class DeletionSteps {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly clock: Clock
  ) {}

  /**
   * Empties a tenancy of these kinds of things.
   * @param mark index of the commit that marked it for deletion, as long as it is marked
   */
  emptying(kinds: readonly RemainingResources[], tenancy: Tenancy, mark: () => number | undefined): Emptying {
    return new Emptying(
      () => walk(kinds, this.views, tenancy),
      walked => this.#step(walked, mark)
    )
  }

  /**
   * Takes and asks for some deletions, and resolves when they are on disk. One that is refused does not hold
   * up the others.
   */
  #step(walked: Iterator<ResourceDeletion>, mark: () => number | undefined): Promise<Swept> {
    const run = this.#last.then(async () => {
      // Requests that have arrived meanwhile come first.
      await setImmediate()
      const occasion = { at: this.clock.now(), ...causeOf([mark()]) }
      const ends = performance.now() + LONGEST_MS
      const asked: Promise<unknown>[] = []
      let next = walked.next()
      while (!next.done) {
        const isFull = asked.push(next.value(this.system, occasion)) === MOST
        if (isFull || performance.now() >= ends) break
        next = walked.next()
      }
      const results = await Promise.allSettled(asked)
      const done = results.filter(({ status }) => status === 'fulfilled').length
      return { asked: asked.length, done, isOver: next.done === true }
    })
    this.#last = run.catch(() => undefined)
    return run
  }
}

/** One walk after the other over what is left, until one finds nothing. */
class Emptying {
  #walk: Iterator<ResourceDeletion> | undefined
  #asked = 0
  #done = 0

  constructor(
    private readonly begin: () => Iterator<ResourceDeletion>,
    private readonly sweep: (walked: Iterator<ResourceDeletion>) => Promise<Swept>
  ) {}

  /** `empty`: a whole walk found nothing. `later`: everything that a walk found was refused. */
  async step(): Promise<'more' | 'later' | 'empty'> {
    const { asked, done, isOver } = await this.sweep((this.#walk ??= this.begin()))
    this.#asked += asked
    this.#done += done
    if (!isOver) return 'more'
    const isEmpty = this.#asked === 0
    const isStuck = this.#done === 0
    this.#walk = undefined
    this.#asked = 0
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
