// Signs and stores checkpoints of the log, at most about once a second unless a caller waits.
import { EventEmitter } from 'eventemitter3'
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import { Refusal } from '../refusal.js'
import type { LogWriter } from '../../events/log/log.js'
import type { CheckpointFiles } from '../../events/log/tree/checkpoint-files.js'
import type { LogTree } from '../../events/log/tree/log-tree.js'

type Machine = ReturnType<typeof checkpointMachine>

export interface SignedCheckpoint {
  /** Number of commits, which equals the index of the newest one. */
  readonly size: number
  /** In the format of C2SP tlog-checkpoint. */
  readonly text: string
}

interface CheckpointPlan {
  readonly tree: LogTree
  /** Stored checkpoints; undefined for a log in memory. */
  readonly kept: CheckpointFiles | undefined
  readonly incarnation: number
  /** Returns undefined where another server signs, and has not. */
  readonly sign: (size: number, root: Buffer) => string | undefined
  readonly isSigned: (text: string) => boolean
  readonly onFailure: (error: unknown) => void
}

interface Waiter {
  readonly size: number
  readonly resolve: (checkpoint: SignedCheckpoint | undefined) => void
}

/** A commit costs it one comparison. */
export class Checkpoints {
  readonly #actor: ActorRefFrom<Machine>
  readonly #signals = new EventEmitter<{ signed: [checkpoint: SignedCheckpoint] }>()
  #stopListening = (): void => {}
  #newest: SignedCheckpoint | undefined
  #chooseShown: (() => SignedCheckpoint | undefined) | undefined
  #waiters: Waiter[] = []
  #making: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(
    private readonly log: Pick<LogWriter, 'durableIndex' | 'onDurable'>,
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

  async start(): Promise<void> {
    const { kept, incarnation, tree } = this.plan
    const name = kept?.newest
    const text = name?.incarnation === incarnation ? await kept?.read(name) : undefined
    if (name && text !== undefined && this.plan.isSigned(text)) this.#newest = { size: name.size, text }
    else {
      // Signed before the files change: it proves their content after a crash.
      const size = await tree.keep()
      if (size > 0) await this.#sign(size)
    }
    this.#actor.start()
  }

  async stop(): Promise<void> {
    this.#stopListening()
    this.#isStopped = true
    this.#actor.stop()
    await this.#making.catch(() => {})
    await this.#make().catch(() => {})
  }

  /** The newest checkpoint; undefined before the first commit. */
  get newest(): SignedCheckpoint | undefined {
    return this.#newest
  }

  /** The newest checkpoint to publish: the newest of all, unless another component chooses. */
  get shown(): SignedCheckpoint | undefined {
    return this.#chooseShown ? this.#chooseShown() : this.#newest
  }

  delegateShown(choose: () => SignedCheckpoint | undefined): void {
    this.#chooseShown = choose
  }

  /** Returns a checkpoint over these durable commits; undefined after a failure, reported to `onFailure`. */
  covering(size: number): Promise<SignedCheckpoint | undefined> {
    if (this.#isStopped || (this.#newest && this.#newest.size >= size)) return Promise.resolve(this.#newest)
    return new Promise(resolve => {
      this.#waiters.push({ size, resolve })
      this.#actor.send({ type: 'Requested' })
    })
  }

  /** Returns the checkpoint of exactly this many commits, which the tree must cover: stored or new. */
  async at(size: number): Promise<SignedCheckpoint> {
    if (this.#newest?.size === size) return this.#newest
    const { kept, incarnation, tree, sign, isSigned } = this.plan
    const name = kept?.names.find(stored => stored.size === size && stored.incarnation === incarnation)
    const text = name && (await kept?.read(name))
    const signed = text && isSigned(text) ? text : sign(size, await tree.tree.rootAt(size))
    if (signed !== undefined) return { size, text: signed }
    throw new Refusal('evidence.not-found', `Not found: this replica has no checkpoint of ${size} commits`)
  }

  /** Calls `listener` with stored new checkpoint. Returns a function that removes the listener. */
  onSigned(listener: (checkpoint: SignedCheckpoint) => void): () => void {
    this.#signals.on('signed', listener)
    return () => void this.#signals.off('signed', listener)
  }

  async *kept(): AsyncGenerator<SignedCheckpoint> {
    const { kept, incarnation, isSigned } = this.plan
    for (const name of kept?.names.toReversed() ?? []) {
      const text = name.incarnation === incarnation ? await kept?.read(name) : undefined
      if (text !== undefined && isSigned(text)) yield { size: name.size, text }
    }
  }

  /** Stores a cosigned checkpoint in place of the original. */
  async keep(checkpoint: SignedCheckpoint): Promise<void> {
    const { kept, incarnation } = this.plan
    const { size, text } = checkpoint
    await kept?.replace({ size, incarnation }, text)
    if (this.#newest?.size === size) this.#newest = checkpoint
  }

  /** Listens while the machine is idle, for the next commit that no checkpoint covers. */
  #listen(): void {
    if (this.#isStopped) return
    this.#stopListening()
    this.#stopListening = this.log.onDurable(this.#look)
    this.#look()
  }

  readonly #look = (): void => {
    if (this.log.durableIndex <= (this.#newest?.size ?? 0)) return
    this.#stopListening()
    this.#actor.send({ type: 'Due' })
  }

  async #make(): Promise<void> {
    const waiters = this.#waiters
    this.#waiters = []
    try {
      const { tree } = this.plan
      await tree.catchUp()
      const size = await tree.keep()
      if (size > (this.#newest?.size ?? 0)) await this.#sign(size)
    } catch (error) {
      for (const { resolve } of waiters) resolve(undefined)
      this.plan.onFailure(error)
      throw error
    }
    for (const { size, resolve } of waiters)
      resolve(this.#newest && this.#newest.size >= size ? this.#newest : undefined)
  }

  async #sign(size: number): Promise<void> {
    const { tree, kept, incarnation, sign } = this.plan
    const text = sign(size, await tree.tree.rootAt(size))
    if (text === undefined) return
    await kept?.keep({ size, incarnation }, text)
    const newest = { size, text }
    this.#newest = newest
    this.#signals.emit('signed', newest)
  }
}

const REST_MS = 800

/** `Due` has an effect only in `idle`, which `onIdle` reports; `Requested` does not wait. */
const checkpointMachine = (actors: {
  readonly make: () => Promise<void>
  readonly isAwaited: () => boolean
  readonly onIdle: () => void
}) =>
  setup({
    types: { events: {} as { type: 'Due' } | { type: 'Requested' } },
    actors: { make: fromPromise<void>(() => actors.make()) },
    guards: { isAwaited: () => actors.isAwaited() },
    actions: { notifyIdle: () => actors.onIdle() },
    delays: { rest: REST_MS }
  }).createMachine({
    id: 'checkpoints',
    initial: 'idle',
    states: {
      idle: { entry: 'notifyIdle', on: { Due: 'making', Requested: 'making' } },
      making: { invoke: { src: 'make', onDone: 'made', onError: 'made' } },
      made: { always: [{ guard: 'isAwaited', target: 'making' }, { target: 'resting' }] },
      resting: { on: { Requested: 'making' }, after: { rest: 'idle' } }
    }
  })
