// Read model of the ACL system: whether and when it was bootstrapped.
import { isAccessBootstrapped, OPERATOR_TOPIC, type Bootstrap } from '../../events/access.js'
import type { Event } from '../../events/envelope.js'
import type { Projection } from '../projection.js'

/** The last bootstrap. All costs O(1). */
export class Access implements Projection {
  readonly topics = [OPERATOR_TOPIC]
  #bootstrap: Bootstrap | undefined

  /** Undefined as long as the system was never bootstrapped. */
  get bootstrap(): Bootstrap | undefined {
    return this.#bootstrap
  }

  apply(event: Event): void {
    if (isAccessBootstrapped(event)) this.#bootstrap = event.Payload.ACLBootstrap
  }

  reset(): void {
    this.#bootstrap = undefined
  }

  *dump(): Iterable<unknown> {
    yield this.#bootstrap ?? null
  }
}
