// Has a snapshot of the read models made whenever enough commits came since the last one.
import { createActor, type ActorOptions, type ActorRefFrom } from 'xstate'
import type { EventLog } from '../../../events/log/log.js'
import { snapshotMachine } from './machine.js'

type Machine = ReturnType<typeof snapshotMachine>

export interface SnapshotPlan {
  /** How many commits a start may have to replay before the next snapshot is made; more than 0. */
  readonly commits: number
  /** Index of the newest snapshot that holds; 0 for none. */
  readonly newest: number
  /** Makes a snapshot, and answers with its index. */
  readonly write: (signal: AbortSignal) => Promise<number>
  /** Told why one could not be made. It harms nothing. */
  readonly onFailure: (error: unknown) => void
}

/** A commit costs it one comparison. */
export class SnapshotWriting {
  readonly #log: Pick<EventLog, 'durableIndex' | 'onDurable'>
  readonly #plan: SnapshotPlan
  readonly #actor: ActorRefFrom<Machine>
  readonly #stopListening: () => void
  #newest: number
  #failures = 0
  /** The durable index from which one is due; Infinity while nothing can be begun. */
  #dueAt = Infinity

  /** @param options `clock`, for tests */
  constructor(
    log: Pick<EventLog, 'durableIndex' | 'onDurable'>,
    plan: SnapshotPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#log = log
    this.#plan = plan
    this.#newest = plan.newest
    const machine = snapshotMachine({
      write: signal => this.#write(signal),
      onIdle: () => queueMicrotask(() => this.#listen())
    })
    this.#actor = createActor(machine, options)
    this.#stopListening = log.onDurable(index => this.#look(index))
    this.#actor.start()
  }

  /** Index of the newest snapshot; 0 for none. */
  get newest(): number {
    return this.#newest
  }

  /** How many could not be made. */
  get failures(): number {
    return this.#failures
  }

  /** Ends the process, and the snapshot that is being made. */
  stop(): void {
    this.#stopListening()
    this.#dueAt = Infinity
    this.#actor.stop()
  }

  #listen(): void {
    this.#dueAt = this.#newest + this.#plan.commits
    this.#look(this.#log.durableIndex)
  }

  #look(durableIndex: number): void {
    if (durableIndex < this.#dueAt) return
    this.#dueAt = Infinity
    this.#actor.send({ type: 'Due' })
  }

  async #write(signal: AbortSignal): Promise<void> {
    try {
      this.#newest = await this.#plan.write(signal)
    } catch (error) {
      if (!signal.aborted) {
        this.#failures++
        this.#plan.onFailure(error)
      }
      throw error
    }
  }
}
