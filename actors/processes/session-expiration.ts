// Invalidates sessions whose TTL has expired. A renewal only moves the deadline and is no event.
import { Lifecycle, scoped } from 'tsyringe'
import type { Event } from '../../events/envelope.js'
import { MILLISECOND } from '../../events/duration.js'
import { isSessionEvent, SESSION_TOPIC, type Session } from '../../events/session.js'
import { Views } from '../../projections/read-models.js'
import { Clock, Deadlines } from '../clock.js'
import { Committer } from '../committer.js'
import { ttlOf } from '../session.js'
import { Subscriptions } from '../subscriptions.js'
import { type ExpirationKind, ExpirationProcess } from './expiration-process.js'

const ending: ExpirationKind<typeof SESSION_TOPIC> = {
  kind: SESSION_TOPIC,
  command: (ids, common) => ({ ...common, name: 'ExpireSessions', data: { ids } }),
  causeOf: (id, { sessions }) => sessions.get(id)?.session.CreateIndex
}
/** A session ends without a renewal for twice its TTL (spec: state.md §5). */
const GRACE = 2

/** The deadlines of sessions with a TTL. A renewal costs O(1): the heap holds one deadline per session, which is scheduled again when it is early. */
@scoped(Lifecycle.ContainerScoped)
export class SessionExpiration {
  readonly #subscriptions = new Subscriptions()
  /** End by session ID, by `Clock.elapsed`. */
  #ends = new Map<string, number>()

  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly expiry: ExpirationProcess,
    private readonly committer: Committer
  ) {}

  start(): void {
    this.#subscriptions.add(this.deadlines.on(ending.kind, ids => this.#due(ids)))
    this.#subscriptions.add(this.committer.on(SESSION_TOPIC, event => this.#follow(event)))
    this.#subscriptions.onRebuilt(this.committer, () => this.#restart())
    this.#restart()
  }

  stop(): void {
    this.#subscriptions.end()
    this.#ends.clear()
  }

  renew(session: Session): void {
    const ttl = ttlOf(session) / MILLISECOND
    if (ttl > 0) this.#ends.set(session.ID, this.clock.elapsed() + GRACE * ttl)
  }

  #restart(): void {
    this.#ends = new Map()
    for (const { session } of this.views.sessions.all()) this.#begin(session)
  }

  #begin(session: Session): void {
    this.renew(session)
    const end = this.#ends.get(session.ID)
    if (end !== undefined) this.deadlines.after(end - this.clock.elapsed(), ending.kind, session.ID)
  }

  #follow(event: Event): void {
    if (!isSessionEvent(event)) return
    if (event.Type === 'SessionCreated') this.#begin(event.Payload.Session)
    else this.#ends.delete(event.Key)
  }

  #due(ids: readonly string[]): void {
    const now = this.clock.elapsed()
    const expired: string[] = []
    for (const id of new Set(ids)) {
      const end = this.#ends.get(id)
      if (end === undefined) continue
      if (end <= now) expired.push(id)
      else this.deadlines.after(end - now, ending.kind, id)
    }
    if (expired.length > 0) this.expiry.end(ending, expired)
  }
}
