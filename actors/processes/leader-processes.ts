// Processes that only the leader of a cluster runs. A single server always leads.
import { Lifecycle, scoped } from 'tsyringe'

export interface LeaderProcess {
  /** The next process starts when it resolves. */
  readonly start: () => void | Promise<void>
  readonly stop: () => void
}

@scoped(Lifecycle.ContainerScoped)
export class LeaderProcesses {
  readonly #processes: LeaderProcess[] = []
  #running: LeaderProcess[] = []
  /** Counts the starts and stops. */
  #turn = 0

  /** Runs the process while this server leads. Call it before the leadership begins. */
  whileLeading(process: LeaderProcess): void {
    this.#processes.push(process)
  }

  /** Starts all processes in the order of registration. Returns early when they are stopped meanwhile. */
  async begin(): Promise<void> {
    const turn = ++this.#turn
    for (const process of this.#processes) {
      this.#running.push(process)
      await process.start()
      if (turn !== this.#turn) return
    }
  }

  end(): void {
    this.#turn++
    for (const process of this.#running.splice(0).toReversed()) process.stop()
  }
}
