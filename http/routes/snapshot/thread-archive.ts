// A verified archive that a thread holds and returns in pieces.
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { ArchiveFacts, VerifiedArchive } from '../../../actors/snapshot/archive-store.js'
import type { Event } from '../../../events/envelope.js'
import type { Erasure } from '../../../events/erasure.js'
import { threadMessage } from '../../../events/thread-message.js'
import { startVerification, type VerificationThread } from './start-verification.js'
import type { VerificationMessage, VerificationQuery, VerificationTask } from './verification-messages.js'
import { hasCode } from '../../../events/errors.js'

export class ThreadArchive implements VerifiedArchive {
  readonly index: number
  readonly hasLog: boolean
  readonly erasures: readonly Erasure[]

  private constructor(
    private readonly thread: VerificationThread,
    { index, hasLog, erasures }: ArchiveFacts
  ) {
    this.index = index
    this.hasLog = hasLog
    this.erasures = erasures
  }

  /**
   * Verifies an archive.
   * @param signal ends the thread
   * @throws Refusal `invalid` or `too-large` if it cannot be restored; the reason of `signal`
   */
  static async prove(task: VerificationTask, signal: AbortSignal): Promise<ThreadArchive> {
    signal.throwIfAborted()
    const thread = startVerification(task)
    const end = (): void => void thread.terminate()
    signal.addEventListener('abort', end)
    thread.once('exit', () => signal.removeEventListener('abort', end))
    try {
      const message = await threadMessage<VerificationMessage>(thread)
      if (message.kind === 'proved') return new ThreadArchive(thread, message)
      throw message.kind === 'refused' ? refused(message.reason, message.isTooLarge) : unexpected()
    } catch (error) {
      await thread.terminate()
      signal.throwIfAborted()
      throw isOutOfMemory(error)
        ? refused('the snapshot does not fit into the memory of this server', true)
        : error
    }
  }

  async *names(): AsyncGenerator<readonly string[]> {
    for await (const message of this.#pages('names')) if (message.kind === 'names') yield message.items
  }

  async *events(): AsyncGenerator<readonly Event[]> {
    for await (const message of this.#pages('events')) if (message.kind === 'events') yield message.items
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }

  /** Yields the messages with the items of one sort. */
  async *#pages(of: VerificationQuery['of']): AsyncGenerator<VerificationMessage> {
    for (let from = 0; ;) {
      const answer = threadMessage<VerificationMessage>(this.thread)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.thread.postMessage({ of, from } satisfies VerificationQuery)
      const message = await answer
      if (message.kind !== of) throw unexpected()
      if (message.items.length === 0) return
      yield message
      from += message.items.length
    }
  }
}

const refused = (reason: string, isTooLarge: boolean): Refusal =>
  isTooLarge ? new Refusal('snapshot.too-large', reason) : invalid('snapshot.invalid', reason)

const unexpected = (): Error => new Error('the thread that proves an archive said what it was not asked')

const isOutOfMemory = (error: unknown): boolean => hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
