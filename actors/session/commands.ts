// Commands on sessions (spec: state.md §5).
import type { SessionBehavior, SessionServiceCheck } from '../../events/session.js'
import type { Command } from '../command.js'

/** What a caller may say of a session, with the defaults filled in. */
export interface SessionDraft {
  readonly Name: string
  readonly Node: string
  /** Nanoseconds. */
  readonly LockDelay: number
  readonly Behavior: SessionBehavior
  readonly TTL: string
  readonly NodeChecks: readonly string[] | null
  readonly ServiceChecks: readonly SessionServiceCheck[] | null
  readonly Checks: readonly string[]
}

export type CreateSession = Command<'CreateSession', SessionDraft & { readonly newId: string }>
export type DestroySession = Command<'DestroySession', { readonly id: string }>
/** The TTL of these sessions has run out. */
export type ExpireSessions = Command<'ExpireSessions', { readonly ids: readonly string[] }>
export type SessionCommand = CreateSession | DestroySession | ExpireSessions
