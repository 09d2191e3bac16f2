// Ends, by ordinary commands, what comes due by the clock. Whether a thing still counts is decided by the
// clock at each use; its end only frees what it holds, and waits until the clock has been right for a while.
import { Lifecycle, scoped } from 'tsyringe'
import { type Commit, DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { isOidcRequestEvent, OIDC_REQUEST_TOPIC } from '../../events/oidc-request.js'
import { isTokenEvent, TOKEN_TOPIC } from '../../events/token.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import { Views } from '../../projections/read-models.js'
import type { Commands, Kind } from '../aggregates.js'
import { ClockWatch } from '../clock-watch.js'
import { Clock } from '../clock.js'
import { causeOf, type Command, SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { inCluster } from '../ref.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

/** How long to wait before an end that the log refused is tried again. */
const RETRY_MS = 1000

/** One kind of thing that ends by the clock. */
export interface ExpirationKind<K extends Kind> {
  /** Names it among the deadlines as well. */
  readonly kind: K
  /**
   * The command that ends things by their keys. It decides again, so that a deadline out of date does no
   * harm.
   */
  readonly command: (
    keys: readonly string[],
    common: Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>
  ) => Commands[K]
  /** Index of the commit that the end of the one with a key follows from; undefined when it is not there. */
  causeOf(key: string, views: Views): number | undefined
}

interface ExpirationDue {
  readonly key: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** One whose end is known from its beginning. */
interface Expiring<K extends Kind> extends ExpirationKind<K> {
  /** Those that there are. */
  all(views: Views): Iterable<ExpirationDue>
  /** The one that began with an event, whose commit the read models have. */
  begunBy(event: Event, views: Views): ExpirationDue | undefined
  /** When the one with a key ends, in epoch milliseconds; undefined when it is not there, or never ends. */
  endOf(key: string, views: Views): number | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class ExpirationProcess {
  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly watch: ClockWatch,
    private readonly deadlines: Deadlines,
    private readonly system: ActorSystem,
    private readonly committer: Committer
  ) {}

  /** From now on ends the things of a kind: those that there are, and those that commits begin. Returns how to stop. */
  follow<K extends Kind>(expiring: Expiring<K>): () => void {
    const { kind } = expiring
    const subscriptions = new Subscriptions()
    subscriptions.add(this.deadlines.on(kind, keys => this.#due(expiring, keys)))
    const applied = ({ Events }: Commit): void => {
      for (const event of Events) {
        const due = expiring.begunBy(event, this.views)
        if (due) this.deadlines.at(due.at, kind, due.key)
      }
    }
    subscriptions.follow(this.committer, { applied })
    const followAll = (): void => {
      for (const { key, at } of expiring.all(this.views)) this.deadlines.at(at, kind, key)
    }
    const { signals } = this.committer
    const exchanged = (): void => void signals.once('rebuilt', followAll)
    signals.on('swapped', exchanged)
    subscriptions.add(() => signals.off('swapped', exchanged))
    followAll()
    return () => subscriptions.end()
  }

  /** Ends things now; those whose end the log refuses become due again. */
  end<K extends Kind>(ending: ExpirationKind<K>, keys: readonly string[]): void {
    const { kind } = ending
    const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: this.clock.now() }
    const cause = causeOf(keys.map(key => ending.causeOf(key, this.views)))
    this.system.ask(inCluster(kind), ending.command(keys, { ...common, ...cause })).catch(() => {
      for (const key of keys) this.deadlines.after(RETRY_MS, kind, key)
    })
  }

  #due<K extends Kind>(expiring: Expiring<K>, keys: readonly string[]): void {
    const { kind } = expiring
    const wait = this.watch.unsteadyFor
    const now = this.clock.now()
    const over: string[] = []
    for (const key of new Set(keys)) {
      const end = expiring.endOf(key, this.views)
      if (end === undefined) continue
      if (end > now) this.deadlines.at(end, kind, key)
      else if (wait > 0) this.deadlines.after(wait, kind, key)
      else over.push(key)
    }
    if (over.length > 0) this.end(expiring, over)
  }
}

// When tokens expire.

/** Global tokens are ended by the primary datacenter, from which the others hear of it; they are not valid by then anyway. */
const endsHere = ({ token }: TokenRow, { settings }: Views): boolean => settings.isPrimary || token.Local

export const tokenExpiry: Expiring<typeof TOKEN_TOPIC> = {
  kind: TOKEN_TOPIC,
  command: (accessors, common) => ({ ...common, name: 'ExpireTokens', data: { accessors } }),
  causeOf: (accessor, { tokens }) => tokens.get(accessor)?.token.CreateIndex,
  *all(views) {
    for (const row of views.tokens.expiring())
      if (endsHere(row, views)) yield { key: row.token.AccessorID, at: row.expiresAt }
  },
  begunBy: (event, views) => {
    const { restore, tokens } = views
    if (!isTokenEvent(event) || event.Payload.ACLToken.ExpirationTime === undefined) return undefined
    const row = tokens.get(event.Key)
    // An update keeps the expiration, which the creation has scheduled; of a restored token there was none.
    const isNew = row?.token.CreateIndex === row?.token.ModifyIndex || restore.current !== undefined
    if (!row || !isNew || row.expiresAt === Infinity || !endsHere(row, views)) return undefined
    return { key: event.Key, at: row.expiresAt }
  },
  endOf: (accessor, views) => {
    const row = views.tokens.get(accessor)
    return row && row.expiresAt !== Infinity && endsHere(row, views) ? row.expiresAt : undefined
  }
}

// When OIDC requests whose callback never came expire.

export const oidcRequestExpiry: Expiring<typeof OIDC_REQUEST_TOPIC> = {
  kind: OIDC_REQUEST_TOPIC,
  command: (ids, common) => ({ ...common, name: 'ExpireOidcRequests', data: { ids } }),
  causeOf: (id, { oidcRequests }) => oidcRequests.get(id)?.request.CreateIndex,
  *all({ oidcRequests }) {
    for (const { request, expiresAt } of oidcRequests.all()) yield { key: request.ID, at: expiresAt }
  },
  begunBy: (event, { oidcRequests }) => {
    if (!isOidcRequestEvent(event) || event.Type !== 'OIDCRequestOpened') return undefined
    const row = oidcRequests.get(event.Key)
    return row && { key: event.Key, at: row.expiresAt }
  },
  endOf: (id, { oidcRequests }) => oidcRequests.get(id)?.expiresAt
}
