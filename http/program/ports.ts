// Injection tokens of what has no class of its own.
import type { InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.js'

export { ARCHIVE_SHELF, BESIDE_LOG, EVENT_LOG } from '../../actors/ports.js'
export const SETTINGS: InjectionToken<Settings> = Symbol('Settings')
export const LOGGER: InjectionToken<Logger> = Symbol('Logger')
