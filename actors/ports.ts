// Injection tokens of what the actors need and somebody else makes.
import type { InjectionToken } from 'tsyringe'
import type { EventLog } from '../events/log/log.js'

export const EVENT_LOG: InjectionToken<EventLog> = Symbol('EventLog')
