// Deletes expired resources, which are already invalid, once the clock has been stable for a while.
import { Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { isOidcRequestEvent, OIDC_REQUEST_TOPIC } from '../../events/oidc-request.js'
import { isPolicyProposalEvent, POLICY_PROPOSAL_TOPIC } from '../../events/policy-proposal.js'
import { isTokenEvent, TOKEN_TOPIC } from '../../events/token.js'
import { Views } from '../../projections/read-models.js'
import type { Commands, Kind } from '../aggregates.js'
import { ClockWatch, Clock, Deadlines } from '../clock.js'
import { causeOf, type Command, SERVER } from '../aggregate.js'
import { Committer } from '../committer.js'
import { inCluster } from '../ref.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

const RETRY_MS = 1000

export interface ExpirationKind<K extends Kind> {
  /** Also the kind of its deadlines, and the topic of its events. */
  readonly kind: K
  /** Creates the command that deletes expired resources. It decides again, in case a deadline is outdated. */
  readonly command: (
    keys: readonly string[],
    common: Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>
  ) => Commands[K]
  /** Returns the index of the commit that caused the expiration; undefined without the resource. */
  causeOf(key: string, views: Views): number | undefined
}

interface ExpirationDue {
  readonly key: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** A kind whose expiration is known from its creation. */
interface Expiring<K extends Kind> extends ExpirationKind<K> {
  all(views: Views): Iterable<ExpirationDue>
  createdBy(event: Event, views: Views): ExpirationDue | undefined
  /** Returns the expiration in epoch milliseconds; undefined without the resource or an expiration. */
  expirationOf(key: string, views: Views): number | undefined
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

  /** Starts the expiration of existing and new resources of a kind. Returns a function that stops it. */
  follow<K extends Kind>(expiring: Expiring<K>): () => void {
    const { kind } = expiring
    const subscriptions = new Subscriptions()
    subscriptions.add(this.deadlines.on(kind, keys => this.#due(expiring, keys)))
    subscriptions.add(
      this.committer.on(kind, event => {
        const due = expiring.createdBy(event, this.views)
        if (due) this.deadlines.at(due.at, kind, due.key)
      })
    )
    const scheduleAll = (): void => {
      for (const { key, at } of expiring.all(this.views)) this.deadlines.at(at, kind, key)
    }
    const { signals } = this.committer
    const onSwapped = (): void => void signals.once('rebuilt', scheduleAll)
    signals.on('swapped', onSwapped)
    subscriptions.add(() => signals.off('swapped', onSwapped))
    scheduleAll()
    return () => subscriptions.end()
  }

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
    const expired: string[] = []
    for (const key of new Set(keys)) {
      const end = expiring.expirationOf(key, this.views)
      if (end === undefined) continue
      if (end > now) this.deadlines.at(end, kind, key)
      else if (wait > 0) this.deadlines.after(wait, kind, key)
      else expired.push(key)
    }
    if (expired.length > 0) this.end(expiring, expired)
  }
}

export const tokenExpiry: Expiring<typeof TOKEN_TOPIC> = {
  kind: TOKEN_TOPIC,
  command: (accessors, common) => ({ ...common, name: 'ExpireTokens', data: { accessors } }),
  causeOf: (accessor, { tokens }) => tokens.get(accessor)?.token.CreateIndex,
  *all(views) {
    for (const row of views.tokens.expiring())
      if (row.isOwned(views.settings)) yield { key: row.token.AccessorID, at: row.expiresAt }
  },
  createdBy: (event, views) => {
    const { restore, settings, tokens } = views
    if (!isTokenEvent(event) || event.Payload.ACLToken.ExpirationTime === undefined) return undefined
    const row = tokens.get(event.Key)
    if (!row || row.expiresAt === Infinity || !row.isOwned(settings)) return undefined
    const { CreateIndex, ModifyIndex, RotatedTo } = row.token
    // An update keeps the deadline of the creation, except a rotation; a restored token has none yet.
    const isNew = CreateIndex === ModifyIndex || RotatedTo !== undefined || restore.current !== undefined
    if (!isNew) return undefined
    return { key: event.Key, at: row.expiresAt }
  },
  expirationOf: (accessor, views) => {
    const row = views.tokens.get(accessor)
    return row?.isOwned(views.settings) && row.expiresAt !== Infinity ? row.expiresAt : undefined
  }
}

export const oidcRequestExpiry: Expiring<typeof OIDC_REQUEST_TOPIC> = {
  kind: OIDC_REQUEST_TOPIC,
  command: (ids, common) => ({ ...common, name: 'ExpireOidcRequests', data: { ids } }),
  causeOf: (id, { oidcRequests }) => oidcRequests.get(id)?.request.CreateIndex,
  *all({ oidcRequests }) {
    for (const { request, expiresAt } of oidcRequests.all()) yield { key: request.ID, at: expiresAt }
  },
  createdBy: (event, { oidcRequests }) => {
    if (!isOidcRequestEvent(event) || event.Type !== 'OIDCRequestOpened') return undefined
    const row = oidcRequests.get(event.Key)
    return row && { key: event.Key, at: row.expiresAt }
  },
  expirationOf: (id, { oidcRequests }) => oidcRequests.get(id)?.expiresAt
}

export const policyProposalExpiry: Expiring<typeof POLICY_PROPOSAL_TOPIC> = {
  kind: POLICY_PROPOSAL_TOPIC,
  command: (ids, common) => ({ ...common, name: 'ExpirePolicyProposals', data: { ids } }),
  causeOf: (id, { policyProposals }) => policyProposals.get(id)?.proposal.ModifyIndex,
  *all({ policyProposals }) {
    for (const { proposal, expiresAt } of policyProposals.all()) yield { key: proposal.ID, at: expiresAt }
  },
  createdBy: (event, { policyProposals }) => {
    const row = isPolicyProposalEvent(event) ? policyProposals.get(event.Key) : undefined
    return row && { key: row.proposal.ID, at: row.expiresAt }
  },
  expirationOf: (id, { policyProposals }) => policyProposals.get(id)?.expiresAt
}
