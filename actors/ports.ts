// Injection tokens of what the actors need and somebody else makes.
import type { InjectionToken } from 'tsyringe'
import type { Event } from '../events/envelope.js'
import type { EventLog } from '../events/log/log.js'
import type { SnapshotStores } from '../projections/restore-views.js'
import type { Views } from '../projections/read-models.js'
import type { DeregisterAgentService, UpdateAgentCheck } from './agent/agent.js'
import type { Command } from './command.js'
import type { PeerServers } from './processes/peer-servers.js'
import type { ArchiveStore } from './snapshot/archive-store.js'
import type { LogFiles } from './snapshot/log-files.js'

/** Makes the read models anew, as they are at the end of the log. */
export type Restore = (views: Views) => Promise<void>

/** Asked before the events of a command become a commit. @throws Refusal where they must not */
export type CommitRule = (command: Command, events: readonly Event[]) => void

/** What a server finds out of its own node by itself: how a check fares, and which service was critical for too long. */
export type AgentReportCommand = UpdateAgentCheck | DeregisterAgentService

/** Resolves when what follows from it is on disk. */
export type SubmitAgentReport = (command: AgentReportCommand) => Promise<unknown>

/** Headers by which a request to others belongs to the trace of what it is made for; none where nothing is traced. */
export type TraceHeaders = () => Readonly<Record<string, string>>

export const EVENT_LOG: InjectionToken<EventLog> = Symbol('EventLog')
/** What stands beside the log; none for a log that is kept nowhere. */
export const SNAPSHOT_STORES: InjectionToken<SnapshotStores> = Symbol('BesideLog')
/** Without it the whole log is replayed. */
export const RESTORE: InjectionToken<Restore> = Symbol('Restore')
/** Without it everything that was decided is committed. */
export const COMMIT_RULE: InjectionToken<CommitRule> = Symbol('CommitRule')
export const ARCHIVE_STORE: InjectionToken<ArchiveStore> = Symbol('ArchiveShelf')
/** Asks what this server finds out of its own node of whoever decides. Without it that is this server. */
export const SUBMIT_AGENT_REPORT: InjectionToken<SubmitAgentReport> = Symbol('AskFinding')
/** Whether this server decides now. Without it, always. */
export const IS_DECIDING: InjectionToken<() => boolean> = Symbol('Decides')
/** Without it nothing is traced. */
export const TRACE_HEADERS: InjectionToken<TraceHeaders> = Symbol('TraceHeaders')
/** Of a server of a cluster only. */
export const PEER_SERVERS: InjectionToken<PeerServers> = Symbol('OtherServers')
/** None for a log that is kept in memory. */
export const LOG_FILES: InjectionToken<LogFiles> = Symbol('LogFiles')
