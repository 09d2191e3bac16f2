// The destinations and certificates of outgoing requests.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { type DestinationRules, OutgoingTls } from '../actors/outgoing/destinations.js'
import { LiveMaterial, OUTGOING_SIDE } from '../http/wire/tls/material.js'
import { LiveSettings, type Settings } from './settings/settings.js'
import { isLocalServer } from './settings/listeners.js'
import { LOGGER } from './settings/ports.js'
import { Reload } from './settings/reload.js'

/** The allowed destinations of requests that callers can trigger. */
export const destinationRules = (settings: Settings): DestinationRules => ({
  allow: settings.outgoing.allow,
  checks: settings.outgoing.checks,
  isLocalServer: isLocalServer(settings)
})

/** The certificates of outgoing requests, which follow their files and the settings. */
@scoped(Lifecycle.ContainerScoped)
export class OutgoingCertificates {
  #material: LiveMaterial | undefined

  constructor(
    readonly live: LiveSettings,
    readonly reload: Reload,
    private readonly tls: OutgoingTls,
    @inject(LOGGER) readonly logger: Logger
  ) {}

  /** @throws SettingsError for unusable certificates */
  start(): void {
    this.#material = new LiveMaterial(this, OUTGOING_SIDE, material => this.tls.use(material))
  }

  stop(): void {
    this.#material?.close()
  }
}
