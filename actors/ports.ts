// Injection tokens of what the actors need and somebody else makes.
import type { InjectionToken } from 'tsyringe'
import type { EventLog } from '../events/log/log.js'
import type { ArchiveShelf } from './snapshot/archive-shelf.js'

export const EVENT_LOG: InjectionToken<EventLog> = Symbol('EventLog')
export const ARCHIVE_SHELF: InjectionToken<ArchiveShelf> = Symbol('ArchiveShelf')
