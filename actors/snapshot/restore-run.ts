// Makes the state that of a snapshot, piece by piece. It keeps no account of its progress: what is not yet as
// the snapshot has it is still to be done, unless a client wrote it since the restore began.
import { setImmediate } from 'node:timers/promises'
import type { Event } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import type { SnapshotStores } from '../../projections/restore-views.js'
import { UnitOfWork } from '../unit-of-work.js'
import type { Caller } from '../command.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Clock } from '../clock.js'
import type { Committer } from '../committer.js'
import type { ActorSystem } from '../system.js'
import { RESTORE_PIECE, type RestoreSnapshotPiece, RESTORE } from './restore-snapshot.js'
import type { VerifiedArchive } from './archive-store.js'
import { deletionEventsOf, type DeletionContext } from './restore-deletions.js'
import { pacedPages } from './log-archive.js'
import { EARLY_DELETIONS, LATE_DELETIONS, MAX_CHARACTERS, MAX_EVENTS } from './restore-order.js'
import { RestoreState } from './restore-state.js'
import { findUniquenessConflict } from './uniqueness-conflict.js'
import { hasReferences } from './reference-check.js'

/** Names that are compared at once. */
const AT_ONCE = 5000

export interface RestoreRunDependencies extends Pick<DeletionContext, 'views' | 'lifecycles'> {
  readonly system: ActorSystem
  readonly committer: Committer
  readonly clock: Clock
  readonly log: EventLog
  readonly beside: SnapshotStores | undefined
}

/**
 * The read models were made anew from the log in the middle: what was found out about the present may not
 * hold.
 */
export class RestoreInterrupted extends Error {
  override readonly name = 'Interrupted'
}

/** One attempt at a restore that the log says is under way. */
export class RestoreRun {
  readonly #present: RestoreState

  /**
   * @param caller in whose name the pieces are
   * @param begun index of the commit that began the restore
   * @param signal aborts when the attempt is to end where it is
   */
  constructor(
    private readonly parts: RestoreRunDependencies,
    private readonly archive: VerifiedArchive,
    private readonly caller: Caller,
    private readonly begun: number,
    private readonly signal: AbortSignal
  ) {
    this.#present = new RestoreState(parts.lifecycles, begun)
  }

  /**
   * Resolves when everything is as the snapshot has it, and on disk.
   * @throws Refusal `unavailable` when the log fails; Interrupted when it failed and is back; what `signal`
   *   aborts with
   */
  async run(): Promise<void> {
    const { committer } = this.parts
    let isInterrupted = false
    const interrupt = (): void => void (isInterrupted = true)
    const follow = (commit: Parameters<RestoreState['apply']>[0]): void => this.#present.apply(commit)
    committer.signals.once('rebuilt', interrupt)
    try {
      await this.#readPresent()
      committer.signals.on('applied', follow)
      for await (const _ of this.#steps()) {
        await committer.durable()
        // Whoever has come meanwhile is served before the next piece.
        await setImmediate()
        this.signal.throwIfAborted()
        if (isInterrupted) throw new RestoreInterrupted()
      }
    } finally {
      committer.signals.off('rebuilt', interrupt)
      committer.signals.off('applied', follow)
    }
  }

  /** Everything up to now. Nothing is decided between its last look at the log and its end. */
  async #readPresent(): Promise<void> {
    const { log, beside, views, committer } = this.parts
    let next = 1
    while (next <= views.index) {
      await committer.durable()
      for await (const page of pacedPages(log, beside, next)) {
        this.signal.throwIfAborted()
        for (const commit of page) {
          this.#present.apply(commit)
          next = commit.Index + 1
        }
      }
    }
  }

  /** What is to be done, a step for each piece. */
  async *#steps(): AsyncGenerator<void> {
    const unwanted = await this.#unwanted()
    for (const topic of EARLY_DELETIONS) yield* this.#endAll(topic, unwanted.get(topic) ?? [])
    for await (const events of this.archive.events()) {
      this.#make(events)
      yield
    }
    for (const topic of LATE_DELETIONS) yield* this.#endAll(topic, unwanted.get(topic) ?? [])
  }

  /** What there is and the snapshot does not have, by topic, the oldest change first. */
  async #unwanted(): Promise<ReadonlyMap<string, readonly string[]>> {
    const wanted = new Set<string>()
    for await (const names of this.archive.names()) {
      for (const name of names) wanted.add(name)
      await setImmediate()
    }
    const unwanted = new Map<string, string[]>()
    for (const topic of [...EARLY_DELETIONS, ...LATE_DELETIONS]) {
      const found: string[] = []
      let seen = 0
      for (const identity of this.#present.identities(topic)) {
        if (!wanted.has(identity)) found.push(identity)
        if (++seen % AT_ONCE === 0) await setImmediate()
      }
      unwanted.set(topic, found)
    }
    return unwanted
  }

  /** The youngest first. What clients have written since is theirs, unless what it stands on ends. */
  *#endAll(topic: string, identities: readonly string[]): Generator<void> {
    let [piece, size]: [Event[], number] = [[], 0]
    for (const identity of identities.toReversed()) {
      const end = this.#present.wasWritten(identity) ? undefined : this.#present.endOf(topic, identity)
      if (!end) continue
      const events = deletionEventsOf(end.event, this.#moment())
      if (events.length === 1) piece.push(...events)
      else {
        // It takes others along, and so it may one of the piece.
        this.#commit(piece)
        this.#commit(deletionEventsOf(end.event, this.#moment()))
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

  /** Events of one topic, so that none of them stands on another. */
  #make(wanted: readonly Event[]): void {
    const { views, lifecycles } = this.parts
    let piece: Event[] = []
    for (const event of wanted) {
      const identity = lifecycles.identityOf(event)
      if (this.#present.wasWritten(identity) || this.#present.isAs(identity, event)) continue
      if (!hasReferences(event, views)) continue
      let free: readonly Event[] | undefined = []
      if (findUniquenessConflict(event, views)) {
        // The rival may have its new name in this very piece.
        this.#commit(piece)
        piece = []
        free = this.#freeing(event)
      }
      const restored = lifecycles.restoredBy(views, event)
      if (!free || !new UnitOfWork(lifecycles, views).canTake(restored)) continue
      if (free.length > 0) this.#commit([...free, restored])
      else piece.push(restored)
    }
    this.#commit(piece)
  }

  /** What ends the thing that has the name or ID of the event's; undefined when it cannot end. */
  #freeing(event: Event): readonly Event[] | undefined {
    const rival = findUniquenessConflict(event, this.parts.views)
    if (!rival) return []
    const end = this.#present.endOf(rival.Topic, this.parts.lifecycles.identityOf(rival))
    const events = end ? deletionEventsOf(end.event, this.#moment()) : []
    return events.length > 0 ? events : undefined
  }

  #moment(): DeletionContext {
    const { views, lifecycles, clock } = this.parts
    return { views, lifecycles, at: clock.now() }
  }

  #commit(changes: readonly Event[]): void {
    if (changes.length === 0) return
    const { system, clock } = this.parts
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
