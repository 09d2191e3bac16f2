// The only source of time. Decisions never look at it: the time of a command arrives with the command.
import { Lifecycle, scoped } from 'tsyringe'

/** Epoch milliseconds of the process's start. */
const ORIGIN = performance.timeOrigin

@scoped(Lifecycle.ContainerScoped)
export class Clock {
  /** Epoch milliseconds, with a fraction as fine as the machine gives. */
  now(): number {
    return ORIGIN + performance.now()
  }
}
