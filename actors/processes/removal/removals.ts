// The removal processes that are under way, one for each thing that is being deleted.
import { createActor, type ActorRefFrom } from 'xstate'
import { removalMachine, type StepResult } from './machine.js'

/** Costs nothing as long as nothing is being deleted. */
export class Removals {
  readonly #running = new Map<string, ActorRefFrom<ReturnType<typeof removalMachine>>>()
  #stopped = false

  /** Number of processes under way. */
  get size(): number {
    return this.#running.size
  }

  /**
   * Starts the process of this name unless it is under way.
   * @param isWanted whether, when it has come to its end, there is again what it is to remove
   */
  begin(name: string, step: () => Promise<StepResult>, isWanted: () => boolean): void {
    if (this.#stopped || this.#running.has(name)) return
    const actor = createActor(removalMachine(step))
    this.#running.set(name, actor)
    const complete = (): void => {
      this.#running.delete(name)
      if (isWanted()) this.begin(name, step, isWanted)
    }
    actor.subscribe({ complete })
    actor.start()
  }

  /** Ends all processes where they are; a restart of the server resumes them. */
  stop(): void {
    this.#stopped = true
    for (const actor of this.#running.values()) actor.stop()
    this.#running.clear()
  }
}
