import type { InjectionToken } from 'tsyringe'
import type { Event } from '../events/envelope.js'
import type { EventLog } from '../events/log/log.js'
import type { SnapshotStores } from '../projections/restore-views.js'
import type { Views } from '../projections/read-models.js'
import type { DeregisterAgentService, UpdateAgentCheck } from './agent/agent.js'
import type { Command } from './aggregate.js'
import type { decisionRules } from './aggregates.js'
import type { ArchiveStore } from './snapshot/archive-store.js'
import type { LogFiles } from './snapshot/log-files.js'
import type { Retention } from '../events/retention.js'
import type { Timers } from './clock.js'

/** The other servers of a cluster, as pruning uses them. */
export interface PeerServers {
  readonly decides: () => boolean
  /** Fetches an announced base snapshot from the server that created it. */
  readonly fetchBase: (retention: Retention, signal: AbortSignal) => Promise<void>
  readonly timers: Pick<Timers, 'setTimeout'>
}

/** Rebuilds the read models up to the end of the log. */
export type Restore = (views: Views) => Promise<void>

/** Runs before the events of a command become a commit. @throws Refusal to reject them */
export type CommitRule = (command: Command, events: readonly Event[]) => void

/** A report of a server on its own node: a check's status, or a service that was critical for too long. */
export type AgentReportCommand = UpdateAgentCheck | DeregisterAgentService

export type SubmitAgentReport = (command: AgentReportCommand) => Promise<unknown>

/** Returns the headers that connect an outgoing request with its trace; none without tracing. */
export type TraceHeaders = () => Readonly<Record<string, string>>

export const DECISION_RULES: InjectionToken<typeof decisionRules> = Symbol('DecisionRules')
export const EVENT_LOG: InjectionToken<EventLog> = Symbol('EventLog')
/** None for a log in memory. */
export const SNAPSHOT_STORES: InjectionToken<SnapshotStores> = Symbol('BesideLog')
/** Without it the whole log is replayed. */
export const RESTORE: InjectionToken<Restore> = Symbol('Restore')
export const COMMIT_RULE: InjectionToken<CommitRule> = Symbol('CommitRule')
export const ARCHIVE_STORE: InjectionToken<ArchiveStore> = Symbol('ArchiveShelf')
/** Sends an agent report to the leader. Absent when this server decides itself. */
export const SUBMIT_AGENT_REPORT: InjectionToken<SubmitAgentReport> = Symbol('AskFinding')
/** True while this server decides. Always true when absent. */
export const IS_DECIDING: InjectionToken<() => boolean> = Symbol('Decides')
export const TRACE_HEADERS: InjectionToken<TraceHeaders> = Symbol('TraceHeaders')
/** Only in a cluster. */
export const PEER_SERVERS: InjectionToken<PeerServers> = Symbol('OtherServers')
/** None for a log in memory. */
export const LOG_FILES: InjectionToken<LogFiles> = Symbol('LogFiles')
