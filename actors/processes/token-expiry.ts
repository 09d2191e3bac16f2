// Sweeps tokens that have expired. Their validity is decided by the clock; the sweep only frees what they hold.
import { Lifecycle, scoped } from 'tsyringe'
import { isTokenEvent } from '../../events/token.js'
import { DEFAULT_TENANCY, type Commit } from '../../events/envelope.js'
import { Views } from '../../projections/views.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { ActorSystem } from '../system.js'
import { tokenAggregate } from '../token/aggregate.js'

const KIND = 'token'
/** How long to wait before a sweep that the log refused is tried again. */
const RETRY_MS = 1000

/** Schedules every token that expires, at the start from the read model and then from the commits. */
@scoped(Lifecycle.ContainerScoped)
export class TokenExpiry {
  readonly #views: Views
  readonly #clock: Clock
  readonly #deadlines: Deadlines
  readonly #system: ActorSystem
  readonly #committer: Committer

  constructor(views: Views, clock: Clock, deadlines: Deadlines, system: ActorSystem, committer: Committer) {
    this.#views = views
    this.#clock = clock
    this.#deadlines = deadlines
    this.#system = system
    this.#committer = committer
  }

  start(): void {
    this.#deadlines.on(KIND, accessors => this.#sweep(accessors))
    this.#committer.signals.on('applied', commit => this.#schedule(commit))
    for (const row of this.#views.tokens.expiring())
      this.#deadlines.schedule(row.expiresAt, KIND, row.token.AccessorID)
  }

  #schedule(commit: Commit): void {
    for (const event of commit.Events) {
      if (!isTokenEvent(event) || event.Payload.ACLToken.ExpirationTime === undefined) continue
      const row = this.#views.tokens.get(event.Key)
      // An update keeps the expiration, which the creation has scheduled.
      if (row && row.expiresAt !== Infinity && row.token.CreateIndex === row.token.ModifyIndex)
        this.#deadlines.schedule(row.expiresAt, KIND, event.Key)
    }
  }

  #sweep(accessors: readonly string[]): void {
    const at = this.#clock.now()
    const command = {
      name: 'ExpireTokens',
      tenancy: DEFAULT_TENANCY,
      data: { accessors },
      caller: SERVER,
      at
    } as const
    this.#system
      .ask(tokenAggregate, command, () => undefined)
      .catch(() => {
        for (const accessor of accessors) this.#deadlines.schedule(at + RETRY_MS, KIND, accessor)
      })
  }
}
