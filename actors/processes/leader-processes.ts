// What only one server of a cluster does at a time: its leader. A server alone leads from its start to its end.
import { Lifecycle, scoped } from 'tsyringe'

/** Something that can be started, stopped, and started again. */
export interface LeaderProcess {
  /** The next one starts when it resolves. */
  readonly start: () => void | Promise<void>
  /** Ends it at once: it decides nothing after that. */
  readonly stop: () => void
}

@scoped(Lifecycle.ContainerScoped)
export class LeaderProcesses {
  readonly #processes: LeaderProcess[] = []
  #running: LeaderProcess[] = []
  /** Counts the times that they were begun or ended. */
  #turn = 0

  /** Runs it as long as this server leads. To be called before that. */
  whileLeading(process: LeaderProcess): void {
    this.#processes.push(process)
  }

  /** Starts all of them, in the order in which they were named. Resolves early when they are ended meanwhile. */
  async begin(): Promise<void> {
    const turn = ++this.#turn
    for (const process of this.#processes) {
      this.#running.push(process)
      await process.start()
      if (turn !== this.#turn) return
    }
  }

  /** Ends all of them, the last first. */
  end(): void {
    this.#turn++
    for (const process of this.#running.splice(0).toReversed()) process.stop()
  }
}
