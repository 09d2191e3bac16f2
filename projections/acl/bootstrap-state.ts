import {
  ACCESS_KEY,
  type AccessBootstrapped,
  type Bootstrap,
  isAccessBootstrapped,
  OPERATOR_TOPIC
} from '../../events/cluster.js'
import type { Event } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'

/** The last bootstrap of the ACL system. All costs O(1). */
export class BootstrapState implements Projection {
  readonly topics = [OPERATOR_TOPIC]
  readonly memory = {}
  #bootstrap: Bootstrap | undefined

  /** Undefined if the system was never bootstrapped. */
  get bootstrap(): Bootstrap | undefined {
    return this.#bootstrap
  }

  apply(event: Event): void {
    if (isAccessBootstrapped(event)) this.#bootstrap = event.Payload.ACLBootstrap
  }

  reset(): void {
    this.#bootstrap = undefined
  }

  *facts(): Iterable<Fact> {
    if (this.#bootstrap)
      yield fact<AccessBootstrapped>({
        Topic: OPERATOR_TOPIC,
        Type: 'ACLBootstrapped',
        Key: ACCESS_KEY,
        Index: this.#bootstrap.ResetIndex,
        Payload: { ACLBootstrap: this.#bootstrap }
      })
  }
}
