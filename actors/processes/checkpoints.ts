// Has the tree over the log signed and kept, a second after the last time at most while there are commits, and at once for
// whoever waits for it.
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { EventLog } from '../../events/log/log.js'
import type { CheckpointFiles } from '../../events/log/tree/checkpoint-files.js'
import type { LogTree } from '../../events/log/tree/log-tree.js'

type Machine = ReturnType<typeof checkpointMachine>

/** A signed note that says what the log was. */
export interface SignedCheckpoint {
  /** Number of commits, which is the index of the newest of them. */
  readonly size: number
  /** As C2SP tlog-checkpoint has it. */
  readonly text: string
}

interface CheckpointPlan {
  readonly tree: LogTree
  /** Where they are kept; undefined for a log that is kept nowhere. */
  readonly kept: CheckpointFiles | undefined
  readonly incarnation: number
  /** The signed text about a tree. */
  readonly sign: (size: number, root: Buffer) => string
  /** Whether a text that was kept has that signature. */
  readonly isSigned: (text: string) => boolean
  /** Told why none could be made. It is tried again. */
  readonly onFailure: (error: unknown) => void
}

interface Waiter {
  readonly size: number
  readonly tell: (checkpoint: SignedCheckpoint | undefined) => void
}

/** A commit costs it one comparison. */
export class Checkpoints {
  readonly #actor: ActorRefFrom<Machine>
  readonly #listeners = new Set<(checkpoint: SignedCheckpoint) => void>()
  #stopListening = (): void => {}
  #newest: SignedCheckpoint | undefined
  #choose: (() => SignedCheckpoint | undefined) | undefined
  #waiters: Waiter[] = []
  #making: Promise<void> = Promise.resolve()
  #isIdle = false
  #isStopped = false

  /** @param options `clock`, for tests */
  constructor(
    private readonly log: Pick<EventLog, 'durableIndex' | 'onDurable'>,
    private readonly plan: CheckpointPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    const machine = checkpointMachine({
      make: () => (this.#making = this.#make()),
      isAwaited: () => this.#waiters.length > 0,
      onIdle: () => queueMicrotask(() => this.#listen())
    })
    this.#actor = createActor(machine, options)
  }

  /** Takes up the newest one that is kept, and begins. */
  async start(): Promise<void> {
    const { kept, incarnation, tree } = this.plan
    const name = kept?.newest
    const text = name?.incarnation === incarnation ? await kept?.read(name) : undefined
    if (name && text !== undefined && this.plan.isSigned(text)) this.#newest = { size: name.size, text }
    else {
      // Before the files are changed: it proves what they are found to hold after a crash.
      const size = await tree.keep()
      if (size > 0) await this.#sign(size)
    }
    this.#stopListening = this.log.onDurable(() => this.#look())
    this.#actor.start()
  }

  /** Makes a last one, and ends. */
  async stop(): Promise<void> {
    this.#stopListening()
    this.#isStopped = true
    this.#actor.stop()
    await this.#making.catch(() => {})
    await this.#make().catch(() => {})
  }

  /** The newest one; undefined before the first commit. */
  get newest(): SignedCheckpoint | undefined {
    return this.#newest
  }

  /** The newest that is fit to be shown to others: the newest of all, unless somebody else chooses. */
  get shown(): SignedCheckpoint | undefined {
    return this.#choose ? this.#choose() : this.#newest
  }

  /** Leaves it to others which one is shown. */
  showWhat(choose: () => SignedCheckpoint | undefined): void {
    this.#choose = choose
  }

  /**
   * One that covers so many commits, which must be durable.
   * @returns undefined when it could not be made, which `onFailure` was told
   */
  covering(size: number): Promise<SignedCheckpoint | undefined> {
    if (this.#isStopped || (this.#newest && this.#newest.size >= size)) return Promise.resolve(this.#newest)
    return new Promise(tell => {
      this.#waiters.push({ size, tell })
      this.#actor.send({ type: 'Asked' })
    })
  }

  /** One of exactly so many commits, which the tree must cover: as it was kept, or signed now. */
  async at(size: number): Promise<SignedCheckpoint> {
    if (this.#newest?.size === size) return this.#newest
    const { kept, incarnation, tree, sign, isSigned } = this.plan
    const name = kept?.names.find(each => each.size === size && each.incarnation === incarnation)
    const text = name && (await kept?.read(name))
    return { size, text: text && isSigned(text) ? text : sign(size, await tree.tree.rootAt(size)) }
  }

  /** Calls `listener` with each that is made from now on. Returns how to stop. */
  onSigned(listener: (checkpoint: SignedCheckpoint) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Those of this incarnation that are kept, the newest first. */
  async *kept(): AsyncGenerator<SignedCheckpoint> {
    const { kept, incarnation, isSigned } = this.plan
    for (const name of kept?.names.toReversed() ?? []) {
      const text = name.incarnation === incarnation ? await kept?.read(name) : undefined
      if (text !== undefined && isSigned(text)) yield { size: name.size, text }
    }
  }

  /** Keeps one that others have signed as well, in place of what it was. */
  async keep(checkpoint: SignedCheckpoint): Promise<void> {
    const { kept, incarnation } = this.plan
    const { size, text } = checkpoint
    await kept?.replace({ size, incarnation }, text)
    if (this.#newest?.size === size) this.#newest = checkpoint
  }

  #listen(): void {
    this.#isIdle = true
    this.#look()
  }

  #look(): void {
    if (!this.#isIdle || this.log.durableIndex <= (this.#newest?.size ?? 0)) return
    this.#isIdle = false
    this.#actor.send({ type: 'Due' })
  }

  async #make(): Promise<void> {
    const asked = this.#waiters
    this.#waiters = []
    try {
      const { tree } = this.plan
      await tree.catchUp()
      const size = await tree.keep()
      if (size > (this.#newest?.size ?? 0)) await this.#sign(size)
    } catch (error) {
      for (const { tell } of asked) tell(undefined)
      this.plan.onFailure(error)
      throw error
    }
    for (const { size, tell } of asked)
      tell(this.#newest && this.#newest.size >= size ? this.#newest : undefined)
  }

  async #sign(size: number): Promise<void> {
    const { tree, kept, incarnation, sign } = this.plan
    const text = sign(size, await tree.tree.rootAt(size))
    await kept?.keep({ size, incarnation }, text)
    const newest = { size, text }
    this.#newest = newest
    for (const listener of this.#listeners) listener(newest)
  }
}

// The process that has checkpoints made.

/** How long after one the next is made, in milliseconds; making it takes some more. */
const REST_MS = 800

/**
 * States: `idle` (nothing is new), `making` (one is being made), `resting`. `Due` counts in `idle` alone, which `onIdle` is told of;
 * `Asked` does not wait.
 */
const checkpointMachine = (actors: {
  readonly make: () => Promise<void>
  readonly isAwaited: () => boolean
  readonly onIdle: () => void
}) =>
  setup({
    types: { events: {} as { type: 'Due' } | { type: 'Asked' } },
    actors: { make: fromPromise<void>(() => actors.make()) },
    guards: { isAwaited: () => actors.isAwaited() },
    actions: { tell: () => actors.onIdle() },
    delays: { rest: REST_MS }
  }).createMachine({
    id: 'checkpoints',
    initial: 'idle',
    states: {
      idle: { entry: 'tell', on: { Due: 'making', Asked: 'making' } },
      making: { invoke: { src: 'make', onDone: 'made', onError: 'made' } },
      made: { always: [{ guard: 'isAwaited', target: 'making' }, { target: 'resting' }] },
      resting: { on: { Asked: 'making' }, after: { rest: 'idle' } }
    }
  })
