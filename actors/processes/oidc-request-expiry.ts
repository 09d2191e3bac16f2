// Sweeps OIDC requests whose callback never came. Whether one still counts is decided by the clock.
import { Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY, type Commit } from '../../events/envelope.js'
import { isOidcRequestEvent } from '../../events/oidc-request.js'
import { Views } from '../../projections/views.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { oidcRequestAggregate } from '../oidc-request/aggregate.js'
import { ActorSystem } from '../system.js'

const KIND = 'oidc-request'
/** How long to wait before a sweep that the log refused is tried again. */
const RETRY_MS = 1000

/** Schedules every pending request, at the start from the read model and then from the commits. */
@scoped(Lifecycle.ContainerScoped)
export class OidcRequestExpiry {
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
    this.#deadlines.on(KIND, ids => this.#sweep(ids))
    this.#committer.signals.on('applied', commit => this.#schedule(commit))
    for (const { expiresAt, request } of this.#views.oidcRequests.all())
      this.#deadlines.schedule(expiresAt, KIND, request.ID)
  }

  #schedule(commit: Commit): void {
    for (const event of commit.Events) {
      if (!isOidcRequestEvent(event) || event.Type !== 'OIDCRequestOpened') continue
      const row = this.#views.oidcRequests.get(event.Key)
      if (row) this.#deadlines.schedule(row.expiresAt, KIND, event.Key)
    }
  }

  #sweep(ids: readonly string[]): void {
    const at = this.#clock.now()
    const command = {
      name: 'ExpireOidcRequests',
      tenancy: DEFAULT_TENANCY,
      data: { ids },
      caller: SERVER,
      at
    } as const
    this.#system
      .ask(oidcRequestAggregate, command, () => undefined)
      .catch(() => {
        for (const id of ids) this.#deadlines.schedule(at + RETRY_MS, KIND, id)
      })
  }
}
