// Catching up on a thread of its own, which is started when a stream first needs it, and anew when it has died.
import { Worker, type TransferListItem } from 'node:worker_threads'
import { CommitsPruned } from '../../../events/log/log.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { toMessage, type Subscription } from '../../../projections/stream/subscription.js'
import type { ThreadResponse, ThreadStart, ThreadTask } from './messages.js'
import { CatchUpFailed, type CatchUpSource, type Piece, type PieceRequest, type Reading } from './source.js'
import { WriteActivity } from './write-activity.js'

/** The program of the thread. */
export const THREAD = new URL('./thread.js', import.meta.url)

export interface ThreadCatchUpOptions extends Omit<ThreadStart, 'writers'> {
  /** The program of the thread that is started next; for tests of its death. */
  readonly program?: () => URL
  /** Name of the segment that is being written. */
  readonly newest: () => string
  /** See `EventLog.erasures`. */
  readonly erasures: () => number
  /** Told when the thread has died by itself. */
  readonly onDeath: (error: unknown) => void
}

export class ThreadCatchUp implements CatchUpSource {
  readonly #writers = new WriteActivity()
  #thread: CatchUpThread | undefined

  constructor(private readonly options: ThreadCatchUpOptions) {}

  /** The thread, while there is one; to watch it. */
  get threadId(): number | undefined {
    return this.#thread?.threadId
  }

  open(subscription: Subscription): Reading {
    this.#thread ??= new CatchUpThread(this.options, this.#writers.memory, thread => {
      if (this.#thread === thread) this.#thread = undefined
    })
    return this.#thread.open(subscription)
  }

  committed(): void {
    this.#writers.note()
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }
}

interface Asked {
  readonly request: PieceRequest
  readonly rights: number
  /** `EventLog.erasures` when it was asked. */
  readonly erasures: number
  readonly resolve: (piece: Piece) => void
  readonly reject: (error: unknown) => void
}

interface SharedRights {
  readonly rights: number
  users: number
}

/** One life of the thread. */
class CatchUpThread {
  readonly #worker: Worker
  /** Of the readings that wait for a piece. */
  readonly #asked = new Map<number, Asked>()
  readonly #byAuthorizer = new Map<Authorizer, SharedRights>()
  readonly #byRights = new Map<number, Authorizer>()
  #numbers = 0
  #erasures = 0
  #death: CatchUpFailed | undefined

  constructor(
    private readonly options: ThreadCatchUpOptions,
    writers: SharedArrayBuffer,
    onEnd: (thread: CatchUpThread) => void
  ) {
    const { path, share, pieceBytes, onDeath } = options
    const workerData: ThreadStart = { path, share, writers, pieceBytes }
    this.#worker = new Worker(options.program?.() ?? THREAD, { workerData, name: 'catch-up' })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadResponse) => this.#take(answer))
    this.#worker.on('error', error => {
      onEnd(this)
      if (!this.#death) onDeath(error)
      this.#die(new CatchUpFailed(`the thread that catches up has died: ${error.message}`, { cause: error }))
    })
    this.#worker.once('exit', () => {
      onEnd(this)
      this.#die(new CatchUpFailed('the thread that catches up has ended'))
    })
  }

  get threadId(): number {
    return this.#worker.threadId
  }

  open(subscription: Subscription): Reading {
    const reading = ++this.#numbers
    this.#tell({ kind: 'open', reading, subscription: toMessage(subscription) })
    let held: Authorizer | undefined
    return {
      next: (request: PieceRequest): Promise<Piece> => {
        const { authorizer } = request
        if (this.#death) return Promise.reject(this.#death)
        if (held !== authorizer) {
          const rights = this.#hold(authorizer)
          if (held) this.#release(held)
          held = authorizer
          return this.#ask(reading, request, rights)
        }
        return this.#ask(reading, request, this.#byAuthorizer.get(authorizer)?.rights ?? 0)
      },
      close: (): void => {
        this.#tell({ kind: 'close', reading })
        this.#asked.delete(reading)
        if (held) this.#release(held)
        held = undefined
      }
    }
  }

  async end(): Promise<void> {
    this.#die(new CatchUpFailed('the server ends'))
    await this.#worker.terminate()
  }

  #ask(reading: number, { spent, ...request }: PieceRequest, rights: number): Promise<Piece> {
    return new Promise((resolve, reject) => {
      const erasures = this.options.erasures()
      if (erasures !== this.#erasures) this.#tell({ kind: 'erased' })
      this.#erasures = erasures
      this.#asked.set(reading, { request, rights, erasures, resolve, reject })
      const { from, to } = request
      const extent = { to, newest: this.options.newest() }
      const memory = spent?.buffer
      this.#tell({ kind: 'next', reading, from, extent, rights, spent: memory }, memory ? [memory] : [])
    })
  }

  #tell(task: ThreadTask, transfer: readonly TransferListItem[] = []): void {
    if (!this.#death) this.#worker.postMessage(task, transfer)
  }

  /** @returns the number by which the thread knows the rights */
  #hold(authorizer: Authorizer): number {
    const known = this.#byAuthorizer.get(authorizer)
    if (known) {
      known.users++
      return known.rights
    }
    const rights = ++this.#numbers
    this.#byAuthorizer.set(authorizer, { rights, users: 1 })
    this.#byRights.set(rights, authorizer)
    this.#tell({ kind: 'rights', rights, rules: authorizer.rules })
    return rights
  }

  #release(authorizer: Authorizer): void {
    const known = this.#byAuthorizer.get(authorizer)
    if (!known || --known.users > 0) return
    this.#byAuthorizer.delete(authorizer)
    this.#byRights.delete(known.rights)
    this.#tell({ kind: 'forget-rights', rights: known.rights })
  }

  #take(answer: ThreadResponse): void {
    const asked = this.#asked.get(answer.reading)
    if (!asked) return
    this.#asked.delete(answer.reading)
    // What it has read may hold what was erased meanwhile, or half of it.
    if (asked.erasures !== this.options.erasures() && answer.kind !== 'gone') {
      const { request, rights: same, resolve, reject } = asked
      this.#ask(answer.reading, request, same).then(resolve, reject)
      return
    }
    if (answer.kind === 'gone') return asked.reject(new CommitsPruned(answer.from, answer.oldest))
    if (answer.kind === 'unfit') return asked.reject(new FilterTooExpensive(answer.index, answer.reason))
    if (answer.kind === 'failed') return asked.reject(new CatchUpFailed(answer.reason))
    const { bytes, next, withheld, rights } = answer
    const authorizer = this.#byRights.get(rights)
    if (!authorizer) return asked.reject(new CatchUpFailed(`a piece was made under unknown rights ${rights}`))
    asked.resolve({
      bytes: bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      next,
      withheld,
      authorizer
    })
  }

  #die(death: CatchUpFailed): void {
    this.#death ??= death
    for (const { reject } of this.#asked.values()) reject(this.#death)
    this.#asked.clear()
  }
}
