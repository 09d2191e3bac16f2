// Sessions: what a session is, and the events of its life.
import type { Event } from './envelope.js'

/** A check of a service that a session depends on; `Namespace` is empty for that of the session. */
export interface SessionServiceCheck {
  readonly ID: string
  readonly Namespace: string
}

/** What becomes of the keys that a session holds when it ends. */
export type SessionBehavior = 'release' | 'delete'

/** A session in its read form (spec: state.md §2, §5). */
export interface Session {
  readonly ID: string
  readonly Name: string
  /** As its creator spelled it. */
  readonly Node: string
  /** Nanoseconds; at most a minute of it counts. */
  readonly LockDelay: number
  readonly Behavior: SessionBehavior
  /** As its creator spelled it; empty for none. */
  readonly TTL: string
  readonly NodeChecks: readonly string[] | null
  readonly ServiceChecks: readonly SessionServiceCheck[] | null
  /** Further checks of the node, given under a name of old. */
  readonly Checks?: readonly string[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const SESSION_TOPIC = 'Session'
interface SessionPayload {
  readonly Session: Session
}
export type SessionCreated = Event<typeof SESSION_TOPIC, 'SessionCreated', SessionPayload>
/** Ended by request. */
export type SessionDestroyed = Event<typeof SESSION_TOPIC, 'SessionDestroyed', SessionPayload>
/** Ended by its TTL, a check or its node. */
export type SessionInvalidated = Event<typeof SESSION_TOPIC, 'SessionInvalidated', SessionPayload>
export type SessionEvent = SessionCreated | SessionDestroyed | SessionInvalidated

/** Tells the events of sessions from others; what the log holds under this topic was written by us. */
export const isSessionEvent = (event: Event): event is SessionEvent => event.Topic === SESSION_TOPIC
