import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class ShutdownSignal {
  readonly #controller = new AbortController()
  /** Aborts when the server begins to shut down: blocking queries answer, streams end, connections close after their response. */
  readonly signal: AbortSignal = this.#controller.signal

  begin(): void {
    this.#controller.abort()
  }
}
