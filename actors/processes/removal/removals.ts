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

  /** Starts the process of this name unless it is under way. */
  begin(name: string, step: () => Promise<StepResult>): void {
    if (this.#stopped || this.#running.has(name)) return
    const actor = createActor(removalMachine(step))
    this.#running.set(name, actor)
    actor.subscribe({ complete: () => this.#running.delete(name) })
    actor.start()
  }

  /** Ends all processes where they are; a restart of the server resumes them. */
  stop(): void {
    this.#stopped = true
    for (const actor of this.#running.values()) actor.stop()
    this.#running.clear()
  }
}
