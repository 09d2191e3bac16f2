// Verifies records on a thread, which starts with the first long transfer.
import { Worker } from 'node:worker_threads'
import { programFile } from '../../events/program-files.js'
import { threadMessage } from '../../events/thread-message.js'
import {
  verifyRecords,
  type RecordVerification,
  type VerifyRecords
} from '../publication/verified-records.js'

export interface RecordTask {
  /** Whole records, copied, since the source may use its bytes again. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly from: number
  readonly width: number
  readonly hashes: Uint8Array<ArrayBuffer>
}

export interface RecordAnswer {
  readonly fault: string | undefined
  readonly leaves: Uint8Array<ArrayBuffer>
}

/** Transfers of fewer commits are verified in place: a thread takes longer to start. */
const THREAD_COMMITS = 1024

export class RecordVerifier {
  #thread: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Returns the verification for a transfer of so many commits. */
  for(commits: number): VerifyRecords {
    if (commits < THREAD_COMMITS) return verifyRecords
    this.#thread ??= this.#start()
    return this.#onThread
  }

  async close(): Promise<void> {
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(programFile('records'), { name: 'verify records' })
    // A task that waits fails by itself. The next transfer starts another thread.
    thread.on('error', () => {})
    thread.once('exit', () => (this.#thread = undefined))
    return thread
  }

  /** One task at a time: the thread has time for it while the main thread applies the records before. */
  readonly #onThread: VerifyRecords = (...task) => {
    const verification = this.#last.then(() => this.#ask(...task))
    this.#last = verification.catch(() => {})
    return verification
  }

  async #ask(
    ...[records, from, { width, hashes }]: Parameters<typeof verifyRecords>
  ): Promise<RecordVerification> {
    const thread = this.#thread
    if (!thread) throw new Error('the thread that verifies records has ended')
    const bytes = new Uint8Array(records.reduce((sum, record) => sum + record.bytes.length, 0))
    let at = 0
    for (const record of records) {
      bytes.set(record.bytes, at)
      at += record.bytes.length
    }
    const task: RecordTask = { bytes, from, width, hashes: new Uint8Array(hashes) }
    const answer = threadMessage<RecordAnswer>(thread)
    thread.postMessage(task, [task.bytes.buffer, task.hashes.buffer])
    const { fault, leaves } = await answer
    return { fault, leaves: Buffer.from(leaves.buffer) }
  }
}
