// Takes the place of `http/routes/snapshot/start-verification.ts` in the threads of groups: a thread loads the read models for half a second, and
// verifies an archive of these tests in a few milliseconds. Servers that are processes have theirs.
import { EventEmitter } from 'node:events'
import type { VerificationThread } from '../../http/routes/snapshot/start-verification.js'
import { serveVerification } from '../../http/routes/snapshot/verification.js'
import type { VerificationQuery, VerificationTask } from '../../http/routes/snapshot/verification-messages.js'

class VerificationInThread extends EventEmitter implements VerificationThread {
  readonly #queries = new EventEmitter()

  constructor(task: VerificationTask) {
    super()
    const port = {
      postMessage: (message: unknown) => void this.emit('message', structuredClone(message)),
      on: (name: 'message', take: (query: VerificationQuery) => void) => void this.#queries.on(name, take)
    }
    setImmediate(() => void serveVerification(structuredClone(task), port))
  }

  postMessage(query: VerificationQuery): void {
    setImmediate(() => this.#queries.emit('message', structuredClone(query)))
  }

  /** Ends like a thread for its listeners. What it began continues, unheard. */
  async terminate(): Promise<void> {
    this.emit('exit')
    this.removeAllListeners()
  }
}

/** Verifies an archive in this thread. */
export const startVerification = (task: VerificationTask): VerificationThread =>
  new VerificationInThread(task)
