// The only source of randomness. Decisions never draw from it: new IDs and secrets arrive with the command.
import { randomBytes, randomUUID } from 'node:crypto'
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class Ids {
  /** A random UUID from a cryptographic source, fit to be a secret. */
  uuid(): string {
    return randomUUID()
  }

  /** So many random bytes from a cryptographic source, as lower-case hexadecimal digits. */
  hex(bytes: number): string {
    return randomBytes(bytes).toString('hex')
  }
}
