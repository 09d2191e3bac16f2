// Empties and removes what is marked for deletion, in the background (spec: tenancy.md §3, §4.3, §13 row 4).
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { Commit, Tenancy, Event } from '../../../events/envelope.js'
import { spaceOf } from '../../../projections/table.js'
import { Views } from '../../../projections/read-models.js'
import { Clock } from '../../clock.js'
import { SERVER } from '../../command.js'
import { Committer } from '../../committer.js'
import { Subscriptions } from '../../subscriptions.js'
import { ActorSystem } from '../../system.js'
import { DeletionSteps } from './deletion-steps.js'
import { isNamespaceEvent } from '../../../events/namespace.js'
import { isPartitionEvent } from '../../../events/partition.js'
import type { Command } from '../../command.js'
import { namespaceRef } from '../../namespace.js'
import { partitionRef } from '../../partition.js'
import {
  namespaceResources,
  namespaceDeletionMarks,
  partitionResources,
  type RemainingResources
} from './remaining-resources.js'

/**
 * What must come to its end before the next phase begins: a deletion of things, or the end of other removals.
 */
type DeletionPhase = readonly RemainingResources[] | ((views: Views, tenancy: Tenancy) => boolean)

/** One kind of thing that is removed. Of a partition the tenancy is that of its namespace `default`. */
interface DeletionKind {
  readonly kind: string
  /** Those that are marked. */
  marked(views: Views): Iterable<Tenancy>
  /** The one that an event marks. */
  markedBy(event: Event): Tenancy | undefined
  /** Index of the commit that marked it; undefined when it is not marked, or not there. */
  markOf(views: Views, tenancy: Tenancy): number | undefined
  /** What is to be done, one after the other, until nothing is left in it. */
  readonly phases: readonly DeletionPhase[]
  /** Removes the thing itself. */
  remove(system: ActorSystem, common: Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>): Promise<unknown>
}

const wholePartition = (partition: string): Tenancy => ({ partition, namespace: 'default' })

/** Spec: tenancy.md §3. */
const namespaceDeletionKind: DeletionKind = {
  kind: 'namespace',
  *marked({ namespaces }) {
    for (const { partition, namespace } of namespaces.ending()) yield { partition, namespace: namespace.Name }
  },
  markedBy: event =>
    isNamespaceEvent(event) && event.Type === 'NamespaceUpserted' && event.Payload.Namespace.DeletedAt
      ? { partition: event.Partition, namespace: event.Key }
      : undefined,
  markOf: ({ namespaces }, tenancy) => {
    const row = namespaces.get(tenancy)
    return row?.isEnding ? row.namespace.ModifyIndex : undefined
  },
  phases: [namespaceResources],
  remove: (system, common) =>
    system.ask(namespaceRef(common.tenancy), { ...common, name: 'RemoveNamespace', data: null })
}

/** Spec: tenancy.md §4.3. */
const partitionDeletionKind: DeletionKind = {
  kind: 'partition',
  *marked({ partitions }) {
    for (const { partition } of partitions.ending()) yield wholePartition(partition.Name)
  },
  markedBy: event =>
    isPartitionEvent(event) && event.Type === 'PartitionUpserted' && event.Payload.Partition.DeletedAt
      ? wholePartition(event.Key)
      : undefined,
  markOf: ({ partitions }, { partition }) => {
    const row = partitions.get(partition)
    return row?.isEnding ? row.partition.ModifyIndex : undefined
  },
  phases: [
    [namespaceDeletionMarks],
    // Each of them is removed by a process of its own.
    ({ namespaces }, { partition }) => namespaces.list(partition).length === 0,
    partitionResources
  ],
  remove: (system, common) =>
    system.ask(partitionRef(common.tenancy), { ...common, name: 'RemovePartition', data: null })
}

const REMOVABLES: readonly DeletionKind[] = [partitionDeletionKind, namespaceDeletionKind]

type PhaseStep = () => Promise<'more' | 'later' | 'empty'>

/**
 * A process for each marked thing. The mark in the log is all that it knows, so that a restart, or read
 * models made anew, resume where it was.
 */
@scoped(Lifecycle.ContainerScoped)
export class NamespaceDeletion {
  readonly #removals = new NamespaceDeletions()
  readonly #subscriptions = new Subscriptions()

  constructor(
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly committer: Committer,
    private readonly clock: Clock,
    private readonly sweeper: DeletionSteps
  ) {}

  start(): void {
    this.#removals.start()
    this.#subscriptions.follow(this.committer, {
      applied: commit => this.#follow(commit),
      rebuilt: () => this.#resume()
    })
    this.#resume()
  }

  stop(): void {
    this.#subscriptions.end()
    this.#removals.stop()
  }

  #follow({ Events }: Commit): void {
    for (const event of Events)
      for (const removable of REMOVABLES) {
        const marked = removable.markedBy(event)
        if (marked) this.#begin(removable, marked)
      }
  }

  #resume(): void {
    for (const removable of REMOVABLES)
      for (const tenancy of removable.marked(this.views)) this.#begin(removable, tenancy)
  }

  #begin(removable: DeletionKind, tenancy: Tenancy): void {
    const mark = (): number | undefined => removable.markOf(this.views, tenancy)
    const steps = removable.phases.map(phase => this.#stepOf(phase, tenancy, mark))
    this.#removals.begin(
      `${removable.kind}/${spaceOf(tenancy)}`,
      () => this.#step(removable, tenancy, steps),
      () => mark() !== undefined
    )
  }

  #stepOf(phase: DeletionPhase, tenancy: Tenancy, mark: () => number | undefined): PhaseStep {
    if (typeof phase === 'function') return async () => (phase(this.views, tenancy) ? 'empty' : 'later')
    const emptying = this.sweeper.emptying(phase, tenancy, mark)
    return () => emptying.step()
  }

  async #step(removable: DeletionKind, tenancy: Tenancy, steps: readonly PhaseStep[]): Promise<StepResult> {
    // Never within the decision that marked it.
    await setImmediate()
    const mark = removable.markOf(this.views, tenancy)
    if (mark === undefined) return 'gone'
    for (const step of steps) {
      const result = await step()
      if (result !== 'empty') return result
    }
    await removable.remove(this.system, { tenancy, caller: SERVER, at: this.clock.now(), cause: mark })
    return 'gone'
  }
}

// The removal processes that are under way, one for each thing that is being deleted.

/** Costs nothing as long as nothing is being deleted. */
class NamespaceDeletions {
  readonly #running = new Map<string, ActorRefFrom<ReturnType<typeof removalMachine>>>()
  #stopped = true

  /** Number of processes under way. */
  get size(): number {
    return this.#running.size
  }

  /**
   * Starts the process of this name unless it is under way.
   * @param isWanted whether, when it has come to its end, there is again what it is to remove
   */
  begin(name: string, step: () => Promise<StepResult>, isWanted: () => boolean): void {
    if (this.#stopped || this.#running.has(name)) return
    const actor = createActor(removalMachine(step))
    this.#running.set(name, actor)
    const complete = (): void => {
      this.#running.delete(name)
      if (isWanted()) this.begin(name, step, isWanted)
    }
    actor.subscribe({ complete })
    actor.start()
  }

  /** From now on processes may begin. */
  start(): void {
    this.#stopped = false
  }

  /** Ends all processes where they are; whoever begins them anew resumes them. */
  stop(): void {
    this.#stopped = true
    for (const actor of this.#running.values()) actor.stop()
    this.#running.clear()
  }
}

// The process that empties one namespace or partition: a step, another step, and at last its removal.

/**
 * What a step came to: more is to be done at once, or later, or nothing is left and the thing itself is gone.
 */
type StepResult = 'more' | 'later' | 'gone'

/** How long to wait for others, or after a step that the log refused, in milliseconds. */
const PAUSE_MS = 200

const cameTo = (event: object, result: StepResult): boolean => 'output' in event && event.output === result

/**
 * States: `working` (a step is under way), `waiting`, `gone` (final). It keeps nothing: each step finds out
 * what is left, so that after a restart the process begins anew with the same effect.
 */
const removalMachine = (step: () => Promise<StepResult>) =>
  setup({
    actors: { step: fromPromise(step) },
    delays: { pause: PAUSE_MS },
    guards: {
      hasMore: ({ event }) => cameTo(event, 'more'),
      isGone: ({ event }) => cameTo(event, 'gone')
    }
  }).createMachine({
    id: 'removal',
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'step',
          onDone: [
            { guard: 'hasMore', target: 'working', reenter: true },
            { guard: 'isGone', target: 'gone' },
            { target: 'waiting' }
          ],
          onError: 'waiting'
        }
      },
      waiting: { after: { pause: 'working' } },
      gone: { type: 'final' }
    }
  })
