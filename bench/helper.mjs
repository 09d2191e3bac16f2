// A helper process that answers one message with one message, in order.
import { fork } from 'node:child_process'
import { join } from 'node:path'

/** Starts a helper, which is killed with the scope. */
export class Helper {
  #child
  #last = Promise.resolve()
  #settle = { resolve: () => undefined, reject: () => undefined }

  constructor(scope, file) {
    this.#child = fork(join(import.meta.dirname, file))
    this.#child.on('message', ({ fault, result }) => {
      if (fault === undefined) this.#settle.resolve(result)
      else this.#settle.reject(new Error(fault))
    })
    this.#child.on('exit', code => this.#settle.reject(new Error(`${file} ended with ${code}`)))
    scope.teardown(() => this.#child.kill('SIGKILL'))
  }

  /** Sends a job and resolves with its result. Jobs run one after another. @throws Error with the helper's fault */
  ask(job) {
    const result = this.#last.then(() => this.#perform(job))
    this.#last = result.catch(() => undefined)
    return result
  }

  #perform(job) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#child.send(job)
    })
  }
}

/** Runs in the helper: answers each job with the result of `perform`. */
export function serveJobs(perform) {
  process.on('message', job => {
    perform(job).then(
      result => process.send({ result }),
      error => process.send({ fault: String(error.stack ?? error) })
    )
  })
  process.on('disconnect', () => process.exit(0))
}
