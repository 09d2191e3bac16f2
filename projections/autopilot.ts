// Read model of the settings by which the servers of the cluster are looked after.
import { isAutopilotUpserted, AUTOPILOT_TOPIC, type Autopilot } from '../events/autopilot.js'
import { SECOND } from '../events/duration.js'
import type { Event } from '../events/envelope.js'
import type { Projection } from './projection.js'

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

  *dump(): Iterable<unknown> {
    yield this.#current
  }
}
