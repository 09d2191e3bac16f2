import type { InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import type { ProvableLog } from '../../events/log/provable-log.js'
import type { Datacenters } from '../../projections/queries/execute.js'
import type { Settings } from './settings.js'

export {
  ARCHIVE_STORE as ARCHIVE_SHELF,
  SNAPSHOT_STORES as BESIDE_LOG,
  COMMIT_RULE,
  EVENT_LOG,
  LOG_FILES
} from '../../actors/ports.js'
/** The log that this process has opened. */
export const OWN_LOG: InjectionToken<ProvableLog> = Symbol('OwnLog')
export const SETTINGS: InjectionToken<Settings> = Symbol('Settings')
/** Other datacenters, for failover queries. */
export const DATACENTERS: InjectionToken<Datacenters> = Symbol('Datacenters')
export const LOGGER: InjectionToken<Logger> = Symbol('Logger')
