// Creates snapshots of the read models, so that a start and a deposed leader replay few commits.
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { LogWriter } from '../../events/log/log.js'

type Machine = ReturnType<typeof snapshotMachine>

interface SnapshotPlan {
  /** Limit of commits that a start replays; more than 0. */
  readonly commits: number
  /** Index of the newest valid snapshot; 0 for none. */
  readonly newest: number
  readonly elapsed: () => number
  /** Creates a snapshot and resolves with its index. */
  readonly write: (signal: AbortSignal) => Promise<number>
  readonly onFailure: (error: unknown) => void
}

/** A commit costs it one comparison. */
export class SnapshotSchedule {
  readonly #actor: ActorRefFrom<Machine>
  readonly #stopListening: () => void
  #newest: number
  #failures = 0
  /** Duration of the newest snapshot, ms. */
  #took = 0
  #writing: Promise<void> = Promise.resolve()
  /** Durable index at which the next one is due; Infinity unless idle. */
  #dueAt = Infinity

  constructor(
    private readonly log: Pick<LogWriter, 'durableIndex' | 'onDurable'>,
    private readonly plan: SnapshotPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#newest = plan.newest
    const machine = snapshotMachine({
      write: signal => (this.#writing = this.#write(signal)),
      rest: () => Math.max(this.#took * REST_FACTOR, MIN_REST_MS),
      onIdle: () => queueMicrotask(() => this.#listen())
    })
    this.#actor = createActor(machine, options)
    this.#stopListening = log.onDurable(this.#check)
    this.#actor.start()
  }

  get newest(): number {
    return this.#newest
  }

  get failures(): number {
    return this.#failures
  }

  /** Resolves when no snapshot is being written. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => {})
  }

  stop(): void {
    this.#stopListening()
    this.#dueAt = Infinity
    this.#actor.stop()
  }

  #listen(): void {
    this.#dueAt = this.#newest + this.plan.commits
    this.#check(this.log.durableIndex)
  }

  readonly #check = (durableIndex: number): void => {
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

/** Rest as a multiple of the duration of a snapshot, so that snapshots use a sixth of a core at most. */
const REST_FACTOR = 5
const MIN_REST_MS = 5000
const RETRY_MS = 5 * 60_000

/** `Due` has an effect only in `idle`, which `onIdle` reports so that the sender checks again. */
const snapshotMachine = (actors: {
  readonly write: (signal: AbortSignal) => Promise<void>
  readonly rest: () => number
  readonly onIdle: () => void
}) =>
  setup({
    types: { events: {} as { type: 'Due' } },
    actors: { write: fromPromise<void>(({ signal }) => actors.write(signal)) },
    actions: { notifyIdle: () => actors.onIdle() },
    delays: { rest: () => actors.rest(), retry: RETRY_MS }
  }).createMachine({
    id: 'snapshots',
    initial: 'idle',
    states: {
      idle: { entry: 'notifyIdle', on: { Due: 'writing' } },
      writing: { invoke: { src: 'write', onDone: 'resting', onError: 'failed' } },
      resting: { after: { rest: 'idle' } },
      failed: { after: { retry: 'idle' } }
    }
  })
