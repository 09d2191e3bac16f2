// The end of a server, as its parts hear of it.
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class ShutdownSignal {
  readonly #controller = new AbortController()

  /** Aborts when the server begins to end: blocking queries answer, streams close, connections end with their answer. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  begin(): void {
    this.#controller.abort()
  }
}
