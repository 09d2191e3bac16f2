// Changes the state into that of a snapshot, except for what clients wrote since the restore began.
import { setImmediate } from 'node:timers/promises'
import { type Event, DEFAULT_TENANCY, type Commit } from '../../events/envelope.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import type { SnapshotStores } from '../../projections/restore-views.js'
import { UnitOfWork } from '../unit-of-work.js'
import type { Caller } from '../aggregate.js'
import type { Clock } from '../clock.js'
import type { Committer } from '../committer.js'
import type { ActorSystem } from '../system.js'
import { RESTORE_PIECE, type RestoreSnapshotPiece, RESTORE } from './restore-snapshot.js'
import type { VerifiedArchive } from './archive-store.js'
import { deletionEventsOf, type DeletionContext } from './restore-deletions.js'
import { pacedPages } from './log-archive.js'
import { EARLY_DELETIONS, LATE_DELETIONS, MAX_CHARACTERS, MAX_EVENTS, LOG_TOPICS } from './restore-order.js'
import { findUniquenessConflict, hasReferences } from './constraints.js'
import type { Lifecycles } from '../lifecycle.js'

/** The content of an event without type and index, as one text. */
const contentOf = ({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets }: Event): string =>
  JSON.stringify({ Topic, Key, Namespace, Partition, FilterKeys, Payload, Secrets })

/** True for a commit of a client. */
const isOfClient = ({ By }: Commit): boolean => By.Command !== RESTORE_PIECE && By.RequestID !== ''

interface RestoreDeletion {
  /** The event that deletes the resource, with its last state. */
  readonly event: Event
  readonly size: number
}

/** The contents of last events: about as much text as the log holds of them. */
class RestoreState {
  /** By topic and resource. */
  readonly #contents = new Map<string, Map<string, string>>()
  readonly #written = new Set<string>()

  constructor(
    private readonly lifecycles: Lifecycles,
    private readonly begun: number
  ) {}

  apply(commit: Commit): void {
    const isWrite = commit.Index > this.begun && isOfClient(commit)
    for (const event of commit.Events) {
      if (LOG_TOPICS.has(event.Topic) || event.Erased) continue
      const identity = this.lifecycles.identityOf(event)
      if (isWrite) this.#written.add(identity)
      const contents = this.#of(event.Topic)
      // Deleted first, so that the map is in the order of the last events.
      contents.delete(identity)
      if (!this.lifecycles.isEnding(event)) contents.set(identity, contentOf(event))
    }
  }

  identities(topic: string): Iterable<string> {
    return this.#of(topic).keys()
  }

  /** True for a resource that a client wrote or deleted since the restore began. */
  wasWritten(identity: string): boolean {
    return this.#written.has(identity)
  }

  /** True when the resource equals the state in this event, whatever its last event was. */
  equals(identity: string, event: Event): boolean {
    return this.#of(event.Topic).get(identity) === contentOf(event)
  }

  /** Undefined for a missing resource or a topic without deletions. */
  deletionOf(topic: string, identity: string): RestoreDeletion | undefined {
    const content = this.#of(topic).get(identity)
    const Type = this.lifecycles.endingOf(topic)
    if (content === undefined || Type === undefined) return undefined
    const { Secrets: _, ...last }: Event = JSON.parse(content)
    return { event: { ...last, Type }, size: content.length }
  }

  #of(topic: string): Map<string, string> {
    let contents = this.#contents.get(topic)
    if (!contents) this.#contents.set(topic, (contents = new Map()))
    return contents
  }
}

const NAMES_PER_TURN = 5000

export interface RestoreRunDependencies extends Pick<DeletionContext, 'views' | 'lifecycles'> {
  readonly system: ActorSystem
  readonly committer: Committer
  readonly clock: Clock
  readonly log: LogReader
  readonly stores: SnapshotStores | undefined
}

/** The read models were rebuilt during the run, so the collected state may be wrong. */
export class RestoreInterrupted extends Error {
  override readonly name = 'Interrupted'
}

export class RestoreRun {
  #present: RestoreState

  /** @param caller author of the commits @param begun index of the commit that began the restore @param signal stops the attempt */
  constructor(
    private readonly dependencies: RestoreRunDependencies,
    private readonly archive: VerifiedArchive,
    private readonly caller: Caller,
    private readonly begun: number,
    private readonly signal: AbortSignal
  ) {
    this.#present = this.#newState()
  }

  /**
   * Resolves when the state equals the snapshot and is on disk.
   * @throws Refusal `unavailable` when the log fails; RestoreInterrupted when it failed and recovered; the reason of `signal`
   */
  async run(): Promise<void> {
    const { committer } = this.dependencies
    let isInterrupted = false
    const interrupt = (): void => void (isInterrupted = true)
    const follow = (commit: Parameters<RestoreState['apply']>[0]): void => this.#present.apply(commit)
    committer.signals.once('rebuilt', interrupt)
    try {
      await this.#readPresent()
      committer.signals.on('applied', follow)
      for await (const _ of this.#steps()) {
        await committer.durable()
        // Serves waiting requests before the next piece.
        await setImmediate()
        this.signal.throwIfAborted()
        if (isInterrupted) throw new RestoreInterrupted()
      }
    } finally {
      committer.signals.off('rebuilt', interrupt)
      committer.signals.off('applied', follow)
    }
  }

  #newState(): RestoreState {
    return new RestoreState(this.dependencies.lifecycles, this.begun)
  }

  /** Reads the whole log, again if commits are pruned meanwhile. No decision runs between its last check of the log and its end. */
  async #readPresent(): Promise<void> {
    for (;;)
      try {
        return await this.#readAll()
      } catch (error) {
        if (!(error instanceof CommitsPruned)) throw error
        this.#present = this.#newState()
      }
  }

  async #readAll(): Promise<void> {
    const { log, stores, views, committer } = this.dependencies
    let next = 1
    while (next <= views.index) {
      await committer.durable()
      for await (const page of pacedPages(log, stores, next)) {
        this.signal.throwIfAborted()
        for (const commit of page) {
          this.#present.apply(commit)
          next = commit.Index + 1
        }
      }
    }
  }

  async *#steps(): AsyncGenerator<void> {
    const surplus = await this.#findSurplus()
    for (const topic of EARLY_DELETIONS) yield* this.#deleteAll(topic, surplus.get(topic) ?? [])
    for await (const events of this.archive.events()) {
      this.#create(events)
      yield
    }
    for (const topic of LATE_DELETIONS) yield* this.#deleteAll(topic, surplus.get(topic) ?? [])
  }

  /** Returns the resources that the snapshot does not contain, by topic, the oldest change first. */
  async #findSurplus(): Promise<ReadonlyMap<string, readonly string[]>> {
    const archived = new Set<string>()
    for await (const names of this.archive.names()) {
      for (const name of names) archived.add(name)
      await setImmediate()
    }
    const surplus = new Map<string, string[]>()
    for (const topic of [...EARLY_DELETIONS, ...LATE_DELETIONS]) {
      const found: string[] = []
      let seen = 0
      for (const identity of this.#present.identities(topic)) {
        if (!archived.has(identity)) found.push(identity)
        if (++seen % NAMES_PER_TURN === 0) await setImmediate()
      }
      surplus.set(topic, found)
    }
    return surplus
  }

  /** Deletes the newest first, except resources that clients wrote since the restore began. */
  *#deleteAll(topic: string, identities: readonly string[]): Generator<void> {
    let [piece, size]: [Event[], number] = [[], 0]
    for (const identity of identities.toReversed()) {
      const end = this.#present.wasWritten(identity) ? undefined : this.#present.deletionOf(topic, identity)
      if (!end) continue
      const events = deletionEventsOf(end.event, this.#deletionContext())
      if (events.length === 1) piece.push(...events)
      else {
        // It deletes dependents, which may be in the piece.
        this.#commit(piece)
        this.#commit(deletionEventsOf(end.event, this.#deletionContext()))
        piece = []
      }
      size += end.size
      if (piece.length > 0 && piece.length < MAX_EVENTS && size < MAX_CHARACTERS) continue
      this.#commit(piece)
      ;[piece, size] = [[], 0]
      yield
    }
    this.#commit(piece)
    yield
  }

  /** Events of one topic do not depend on each other. */
  #create(archived: readonly Event[]): void {
    const { views, lifecycles } = this.dependencies
    let piece: Event[] = []
    for (const event of archived) {
      const identity = lifecycles.identityOf(event)
      if (this.#present.wasWritten(identity) || this.#present.equals(identity, event)) continue
      if (!hasReferences(event, views)) continue
      let free: readonly Event[] | undefined = []
      if (findUniquenessConflict(event, views)) {
        // The other resource may receive its new name in this piece.
        this.#commit(piece)
        piece = []
        free = this.#deletionOfConflict(event)
      }
      const restored = lifecycles.restoredBy(views, event)
      if (!free || !new UnitOfWork(lifecycles, views).canTake(restored)) continue
      if (free.length > 0) this.#commit([...free, restored])
      else piece.push(restored)
    }
    this.#commit(piece)
  }

  /** Returns the deletion of the resource with the same name or ID; undefined if it is impossible. */
  #deletionOfConflict(event: Event): readonly Event[] | undefined {
    const conflict = findUniquenessConflict(event, this.dependencies.views)
    if (!conflict) return []
    const end = this.#present.deletionOf(conflict.Topic, this.dependencies.lifecycles.identityOf(conflict))
    const events = end ? deletionEventsOf(end.event, this.#deletionContext()) : []
    return events.length > 0 ? events : undefined
  }

  #deletionContext(): DeletionContext {
    const { views, lifecycles, clock } = this.dependencies
    return { views, lifecycles, at: clock.now() }
  }

  #commit(changes: readonly Event[]): void {
    if (changes.length === 0) return
    const { system, clock } = this.dependencies
    const command: RestoreSnapshotPiece = {
      name: RESTORE_PIECE,
      tenancy: DEFAULT_TENANCY,
      caller: this.caller,
      at: clock.now(),
      cause: this.begun,
      data: { changes }
    }
    system.send(RESTORE, command)
  }
}
