// Deletes marked namespaces and partitions in the background (spec: tenancy.md §3, §4.3, §13 row 4).
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { Tenancy, Event } from '../../../events/envelope.js'
import { spaceOf } from '../../../projections/row-table.js'
import { Views } from '../../../projections/read-models.js'
import { Clock } from '../../clock.js'
import { type Command, SERVER } from '../../aggregate.js'
import { Committer } from '../../committer.js'
import { Subscriptions } from '../../subscriptions.js'
import { ActorSystem } from '../../system.js'
import {
  DeletionSteps,
  namespaceResources,
  namespaceDeletionMarks,
  partitionResources,
  type RemainingResources
} from './remaining-resources.js'
import {
  isNamespaceEvent,
  isPartitionEvent,
  NAMESPACE_TOPIC,
  PARTITION_TOPIC
} from '../../../events/namespace.js'
import { namespaceRef } from '../../namespace.js'
import { partitionRef } from '../../partition.js'

/** A phase that must complete before the next: a deletion of resources, or a wait for other deletions. */
type DeletionPhase = readonly RemainingResources[] | ((views: Views, tenancy: Tenancy) => boolean)

/** A kind of resource deleted with its content. The tenancy of a partition is its namespace `default`. */
interface DeletionKind {
  readonly kind: string
  readonly topic: string
  marked(views: Views): Iterable<Tenancy>
  markedBy(event: Event): Tenancy | undefined
  /** Returns the index of the commit that marked it; undefined without a mark. */
  markOf(views: Views, tenancy: Tenancy): number | undefined
  /** Phases that run in order until nothing is left. */
  readonly phases: readonly DeletionPhase[]
  remove(system: ActorSystem, common: Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>): Promise<unknown>
}

const wholePartition = (partition: string): Tenancy => ({ partition, namespace: 'default' })

/** Spec: tenancy.md §3. */
const namespaceDeletionKind: DeletionKind = {
  kind: 'namespace',
  topic: NAMESPACE_TOPIC,
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
  topic: PARTITION_TOPIC,
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
    // A process of its own deletes each namespace.
    ({ namespaces }, { partition }) => namespaces.list(partition).length === 0,
    partitionResources
  ],
  remove: (system, common) =>
    system.ask(partitionRef(common.tenancy), { ...common, name: 'RemovePartition', data: null })
}

const DELETION_KINDS: readonly DeletionKind[] = [partitionDeletionKind, namespaceDeletionKind]

type PhaseStep = () => Promise<'more' | 'later' | 'empty'>

/** Runs a process for each marked resource. The mark in the log is its only state, so that it resumes after a restart or a rebuild. */
@scoped(Lifecycle.ContainerScoped)
export class NamespaceDeletion {
  readonly #deletions = new NamespaceDeletions()
  readonly #subscriptions = new Subscriptions()

  constructor(
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly committer: Committer,
    private readonly clock: Clock,
    private readonly steps: DeletionSteps
  ) {}

  start(): void {
    this.#deletions.start()
    for (const deletionKind of DELETION_KINDS)
      this.#subscriptions.add(
        this.committer.on(deletionKind.topic, event => {
          const marked = deletionKind.markedBy(event)
          if (marked) this.#begin(deletionKind, marked)
        })
      )
    this.#subscriptions.onRebuilt(this.committer, () => this.#resume())
    this.#resume()
  }

  stop(): void {
    this.#subscriptions.end()
    this.#deletions.stop()
  }

  #resume(): void {
    for (const deletionKind of DELETION_KINDS)
      for (const tenancy of deletionKind.marked(this.views)) this.#begin(deletionKind, tenancy)
  }

  #begin(deletionKind: DeletionKind, tenancy: Tenancy): void {
    const mark = (): number | undefined => deletionKind.markOf(this.views, tenancy)
    const steps = deletionKind.phases.map(phase => this.#stepOf(phase, tenancy, mark))
    this.#deletions.begin(
      `${deletionKind.kind}/${spaceOf(tenancy)}`,
      () => this.#step(deletionKind, tenancy, steps),
      () => mark() !== undefined
    )
  }

  #stepOf(phase: DeletionPhase, tenancy: Tenancy, mark: () => number | undefined): PhaseStep {
    if (typeof phase === 'function') return async () => (phase(this.views, tenancy) ? 'empty' : 'later')
    const deletion = this.steps.deleteContent(phase, tenancy, mark)
    return () => deletion.step()
  }

  async #step(
    deletionKind: DeletionKind,
    tenancy: Tenancy,
    steps: readonly PhaseStep[]
  ): Promise<StepResult> {
    // Never during the decision that marked it.
    await setImmediate()
    const mark = deletionKind.markOf(this.views, tenancy)
    if (mark === undefined) return 'gone'
    for (const step of steps) {
      const result = await step()
      if (result !== 'empty') return result
    }
    await deletionKind.remove(this.system, { tenancy, caller: SERVER, at: this.clock.now(), cause: mark })
    return 'gone'
  }
}

/** The running deletion processes, one per resource. Costs nothing without deletions. */
class NamespaceDeletions {
  readonly #running = new Map<string, ActorRefFrom<ReturnType<typeof removalMachine>>>()
  #stopped = true

  /** Starts the process unless it runs. @param isWanted true when the resource is marked again afterwards */
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

  start(): void {
    this.#stopped = false
  }

  stop(): void {
    this.#stopped = true
    for (const actor of this.#running.values()) actor.stop()
    this.#running.clear()
  }
}

/** Result of a step: continue at once or later, or the resource is deleted. */
type StepResult = 'more' | 'later' | 'gone'

const PAUSE_MS = 200

const hasResult = (event: object, result: StepResult): boolean => 'output' in event && event.output === result

/** States: `working` (a step runs), `waiting`, `gone` (final). Without context: each step determines the remaining work, also after a restart. */
const removalMachine = (step: () => Promise<StepResult>) =>
  setup({
    actors: { step: fromPromise(step) },
    delays: { pause: PAUSE_MS },
    guards: {
      hasMore: ({ event }) => hasResult(event, 'more'),
      isGone: ({ event }) => hasResult(event, 'gone')
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
