// Catch-up on a worker thread, which is started on first use, and restarted after it has died.
import { pathToFileURL } from 'node:url'
import { Worker, type TransferListItem } from 'node:worker_threads'
import { CommitsPruned } from '../../../events/log/log.js'
import { programFile } from '../../../events/program-files.js'
import type { Authorizer, AuthorizerRules } from '../../../projections/acl/authorizer.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import {
  toMessage,
  type Subscription,
  type SubscriptionMessage
} from '../../../projections/stream/subscription.js'
import { CatchUpFailed, type CatchUpSource, type Piece, type PieceRequest, type Reading } from './source.js'
import { WriteActivity } from './cpu-share.js'
import type { ReadableExtent } from '../../../events/stored.js'

export interface ThreadStart {
  readonly path: string
  /** Share of one core during writes, above 0 to 1. */
  readonly share: number
  readonly writers: SharedArrayBuffer
  readonly pieceBytes: number
}

/** To the thread. The numbers of readings and permissions are never reused. */
export type ThreadTask =
  | { readonly kind: 'open'; readonly reading: number; readonly subscription: SubscriptionMessage }
  | { readonly kind: 'rights'; readonly rights: number; readonly rules: AuthorizerRules }
  | {
      readonly kind: 'next'
      readonly reading: number
      readonly from: number
      readonly extent: ReadableExtent
      readonly rights: number
      /** Memory of an unused piece, which is transferred. */
      readonly spent: ArrayBuffer | undefined
    }
  | { readonly kind: 'forget-rights'; readonly rights: number }
  /** Parts of commits were erased, so everything must be read again. */
  | { readonly kind: 'erased' }
  | { readonly kind: 'close'; readonly reading: number }

export type ThreadResponse =
  | {
      readonly kind: 'piece'
      readonly reading: number
      /** In transferred memory. */
      readonly bytes: Uint8Array<ArrayBuffer> | undefined
      readonly next: number
      readonly withheld: number
      /** The permissions that the piece was made under. */
      readonly rights: number
    }
  | { readonly kind: 'gone'; readonly reading: number; readonly from: number; readonly oldest: number }
  | { readonly kind: 'unfit'; readonly reading: number; readonly index: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reading: number; readonly reason: string }

export const THREAD = pathToFileURL(programFile('catchUp'))

export interface ThreadCatchUpOptions extends Omit<ThreadStart, 'writers'> {
  /** The program of the next thread, for tests of its death. */
  readonly program?: () => URL
  readonly newest: () => string
  /** See `LogMaintenance.erasures`. */
  readonly erasures: () => number
  readonly onDeath: (error: unknown) => void
  /** See `LogWriter.onDurable`. */
  readonly onDurable: (listener: () => void) => () => void
}

export class ThreadCatchUp implements CatchUpSource {
  readonly #writers = new WriteActivity()
  #thread: CatchUpThread | undefined

  constructor(private readonly options: ThreadCatchUpOptions) {}

  get threadId(): number | undefined {
    return this.#thread?.threadId
  }

  open(subscription: Subscription): Reading {
    this.#thread ??= this.#start()
    return this.#thread.open(subscription)
  }

  /** The CPU share of the thread applies while there are writes. */
  #start(): CatchUpThread {
    const stopNoting = this.options.onDurable(() => this.#writers.note())
    return new CatchUpThread(this.options, this.#writers.memory, thread => {
      stopNoting()
      if (this.#thread === thread) this.#thread = undefined
    })
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }
}

interface PendingPiece {
  readonly request: PieceRequest
  readonly rights: number
  readonly erasures: number
  readonly resolve: (piece: Piece) => void
  readonly reject: (error: unknown) => void
}

interface SharedRights {
  readonly rights: number
  users: number
}

class CatchUpThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingPiece>()
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
    this.#send({ kind: 'open', reading, subscription: toMessage(subscription) })
    let current: Authorizer | undefined
    return {
      next: (request: PieceRequest): Promise<Piece> => {
        const { authorizer } = request
        if (this.#death) return Promise.reject(this.#death)
        if (current !== authorizer) {
          const rights = this.#hold(authorizer)
          if (current) this.#release(current)
          current = authorizer
          return this.#ask(reading, request, rights)
        }
        return this.#ask(reading, request, this.#byAuthorizer.get(authorizer)?.rights ?? 0)
      },
      close: (): void => {
        this.#send({ kind: 'close', reading })
        this.#pending.delete(reading)
        if (current) this.#release(current)
        current = undefined
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
      if (erasures !== this.#erasures) this.#send({ kind: 'erased' })
      this.#erasures = erasures
      this.#pending.set(reading, { request, rights, erasures, resolve, reject })
      const { from, to } = request
      const extent = { to, newest: this.options.newest() }
      const memory = spent?.buffer
      this.#send({ kind: 'next', reading, from, extent, rights, spent: memory }, memory ? [memory] : [])
    })
  }

  #send(task: ThreadTask, transfer: readonly TransferListItem[] = []): void {
    if (!this.#death) this.#worker.postMessage(task, transfer)
  }

  /** @returns the thread's number for the permissions */
  #hold(authorizer: Authorizer): number {
    const known = this.#byAuthorizer.get(authorizer)
    if (known) {
      known.users++
      return known.rights
    }
    const rights = ++this.#numbers
    this.#byAuthorizer.set(authorizer, { rights, users: 1 })
    this.#byRights.set(rights, authorizer)
    this.#send({ kind: 'rights', rights, rules: authorizer.rules })
    return rights
  }

  #release(authorizer: Authorizer): void {
    const known = this.#byAuthorizer.get(authorizer)
    if (!known || --known.users > 0) return
    this.#byAuthorizer.delete(authorizer)
    this.#byRights.delete(known.rights)
    this.#send({ kind: 'forget-rights', rights: known.rights })
  }

  #take(answer: ThreadResponse): void {
    const pending = this.#pending.get(answer.reading)
    if (!pending) return
    this.#pending.delete(answer.reading)
    // The piece may contain parts that were erased meanwhile.
    if (pending.erasures !== this.options.erasures() && answer.kind !== 'gone') {
      const { request, rights: same, resolve, reject } = pending
      this.#ask(answer.reading, request, same).then(resolve, reject)
      return
    }
    if (answer.kind === 'gone') return pending.reject(new CommitsPruned(answer.from, answer.oldest))
    if (answer.kind === 'unfit') return pending.reject(new FilterTooExpensive(answer.index, answer.reason))
    if (answer.kind === 'failed') return pending.reject(new CatchUpFailed(answer.reason))
    const { bytes, next, withheld, rights } = answer
    const authorizer = this.#byRights.get(rights)
    if (!authorizer)
      return pending.reject(new CatchUpFailed(`a piece was made under unknown rights ${rights}`))
    pending.resolve({
      bytes: bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      next,
      withheld,
      authorizer
    })
  }

  #die(death: CatchUpFailed): void {
    this.#death ??= death
    for (const { reject } of this.#pending.values()) reject(this.#death)
    this.#pending.clear()
  }
}
