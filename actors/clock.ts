// The only source of time. Decisions never look at it: the time of a command arrives with the command.
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class Clock {
  /** Epoch milliseconds by the clock of the machine, which somebody may set: for what ends at a date. */
  now(): number {
    return Date.now()
  }

  /** Milliseconds since some moment, with a fraction; nobody sets this clock: for how long something takes or lasts. */
  elapsed(): number {
    return performance.now()
  }
}
