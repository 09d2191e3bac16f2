// Read model of the settings by which the servers of the cluster are looked after.
import {
  AUTOPILOT_KEY,
  AUTOPILOT_TOPIC,
  isAutopilotUpserted,
  type Autopilot,
  type AutopilotUpserted
} from '../events/autopilot.js'
import { SECOND } from '../events/duration.js'
import type { Event } from '../events/envelope.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'

/** What holds until an operator sets something else: the reference's defaults. */
const DEFAULTS: Autopilot = {
  CleanupDeadServers: true,
  LastContactThreshold: 0.2 * SECOND,
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: 10 * SECOND,
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: '',
  CreateIndex: 0,
  ModifyIndex: 0
}

/** All costs O(1). */
export class AutopilotConfiguration implements Projection {
  readonly topics = [AUTOPILOT_TOPIC]
  readonly memory = {}
  #current = DEFAULTS

  get current(): Autopilot {
    return this.#current
  }

  apply(event: Event): void {
    if (isAutopilotUpserted(event)) this.#current = event.Payload.Autopilot
  }

  reset(): void {
    this.#current = DEFAULTS
  }

  *facts(): Iterable<Fact> {
    if (this.#current === DEFAULTS) return
    yield fact<AutopilotUpserted>({
      Topic: AUTOPILOT_TOPIC,
      Type: 'AutopilotUpserted',
      Key: AUTOPILOT_KEY,
      Index: this.#current.ModifyIndex,
      Payload: { Autopilot: this.#current }
    })
  }
}
