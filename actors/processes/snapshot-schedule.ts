// Has a snapshot of the read models made whenever enough commits came since the last one.
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { EventLog } from '../../events/log/log.js'

type Machine = ReturnType<typeof snapshotMachine>

interface SnapshotPlan {
  /** How many commits a start may have to replay before the next snapshot is made; more than 0. */
  readonly commits: number
  /** Index of the newest snapshot that holds; 0 for none. */
  readonly newest: number
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  /** Makes a snapshot, and answers with its index. */
  readonly write: (signal: AbortSignal) => Promise<number>
  /** Told why one could not be made. It harms nothing. */
  readonly onFailure: (error: unknown) => void
}

/** A commit costs it one comparison. */
export class SnapshotSchedule {
  readonly #actor: ActorRefFrom<Machine>
  readonly #stopListening: () => void
  #newest: number
  #failures = 0
  /** Milliseconds that the newest snapshot took. */
  #took = 0
  #underWay: Promise<void> = Promise.resolve()
  /** The durable index from which one is due; Infinity while nothing can be begun. */
  #dueAt = Infinity

  /** @param options `clock`, for tests */
  constructor(
    private readonly log: Pick<EventLog, 'durableIndex' | 'onDurable'>,
    private readonly plan: SnapshotPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#newest = plan.newest
    const machine = snapshotMachine({
      write: signal => (this.#underWay = this.#write(signal)),
      rest: () => Math.max(this.#took * REST_FACTOR, LEAST_REST_MS),
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

  /** Resolves when the snapshot that is being made is there, or could not be made; at once where none is. */
  async settled(): Promise<void> {
    await this.#underWay.catch(() => {})
  }

  /** Ends the process, and the snapshot that is being made. */
  stop(): void {
    this.#stopListening()
    this.#dueAt = Infinity
    this.#actor.stop()
  }

  #listen(): void {
    this.#dueAt = this.#newest + this.plan.commits
    this.#look(this.log.durableIndex)
  }

  #look(durableIndex: number): void {
    if (durableIndex < this.#dueAt) return
    this.#dueAt = Infinity
    this.#actor.send({ type: 'Due' })
  }

  async #write(signal: AbortSignal): Promise<void> {
    const began = this.plan.elapsed()
    try {
      this.#newest = await this.plan.write(signal)
      this.#took = this.plan.elapsed() - began
    } catch (error) {
      if (!signal.aborted) {
        this.#failures++
        this.plan.onFailure(error)
      }
      throw error
    }
  }
}

// Keeps the newest snapshot of the read models close to the end of the log, from which a start and a deposed leader begin.

/** A rest takes this many times as long as the snapshot before it, so that snapshots use a sixth of a core at most. */
const REST_FACTOR = 5
/** The shortest rest, in milliseconds. */
const LEAST_REST_MS = 5000
/** How long to wait after a failure, in milliseconds. */
const RETRY_MS = 5 * 60_000

/**
 * States: `idle`, `writing` (one snapshot is being made), `resting` and `failed` (waiting). `Due` counts in
 * `idle` alone, which `onIdle` is told of, so that whoever sends it looks again whether it is.
 * @param write makes a snapshot; its signal aborts when the process is stopped
 */
const snapshotMachine = (actors: {
  readonly write: (signal: AbortSignal) => Promise<void>
  /** Milliseconds between the newest snapshot and the next. */
  readonly rest: () => number
  readonly onIdle: () => void
}) =>
  setup({
    types: { events: {} as { type: 'Due' } },
    actors: { write: fromPromise<void>(({ signal }) => actors.write(signal)) },
    actions: { tell: () => actors.onIdle() },
    delays: { rest: () => actors.rest(), retry: RETRY_MS }
  }).createMachine({
    id: 'snapshots',
    initial: 'idle',
    states: {
      idle: { entry: 'tell', on: { Due: 'writing' } },
      writing: { invoke: { src: 'write', onDone: 'resting', onError: 'failed' } },
      resting: { after: { rest: 'idle' } },
      failed: { after: { retry: 'idle' } }
    }
  })
