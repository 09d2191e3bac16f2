// The only source of randomness. Decisions never draw from it: new IDs and secrets arrive with the command.
import { randomUUID } from 'node:crypto'
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class Ids {
  /** A random UUID from a cryptographic source, fit to be a secret. */
  uuid(): string {
    return randomUUID()
  }
}
