// All read models at one commit index, the only data that actors and http read.
import type { Commit, IdempotentResponse, Tenancy } from '../events/envelope.js'
import { ZERO_TIME } from '../events/time.js'
import { AuthMethods } from './acl/auth-methods.js'
import { BindingRules } from './acl/binding-rules.js'
import type { DefaultPolicy } from './acl/authorizer.js'
import type { NameSource } from '../events/definition/forms/form.js'
import { OidcRequests } from './acl/oidc-requests.js'
import { Policies } from './acl/policies.js'
import { PolicyProposals } from './acl/policy-proposals.js'
import { Resolver } from './acl/resolver.js'
import { Roles } from './acl/roles.js'
import { Tokens } from './acl/tokens.js'
import { resourceOf } from '../events/log/log.js'
import { ChangeSets } from './change-sets.js'
import { CompiledChains } from './compiled-chains.js'
import { Cursors } from './cursors.js'
import { Catalog } from './catalog/catalog.js'
import { Coordinates } from './catalog/coordinates.js'
import { ConfigEntries } from './config/entries.js'
import { Erasures } from './erasures.js'
import { LegalHolds } from './legal-holds.js'
import type { PreparedKeys } from './kv/detached-keys.js'
import { Kv } from './kv/kv.js'
import { IdempotentResponses } from './idempotent-responses.js'
import {
  AutopilotConfiguration,
  BootstrapState,
  ClusterIdentity,
  LogRetentionState,
  PendingRestore,
  Replication
} from './latest-events.js'
import type { Models } from './models.js'
import { type Projection, derivedState } from './projection.js'
import { SavedState } from './saved-state.js'
import { Sessions } from './sessions/sessions.js'
import { Addresses } from './queries/addresses.js'
import { Candidates } from './queries/candidates.js'
import { LocalInstances } from './queries/local-instances.js'
import { Queries } from './queries/queries.js'
import { Namespaces, Partitions } from './tenancy/namespaces.js'
import { Watch } from './watch.js'

const NONE_PREPARED: readonly PreparedKeys[] = []

export interface ViewOptions {
  readonly datacenter: string
  /** True in the datacenter with the global tokens, policies and roles. */
  readonly isPrimary: boolean
  readonly aclEnabled: boolean
  readonly defaultPolicy: DefaultPolicy
  /** Limits of the lifetime of a new token, nanoseconds. */
  readonly tokenLife: { readonly min: number; readonly max: number }
}

export class Views implements NameSource, Models {
  readonly watch = new Watch()
  readonly partitions = new Partitions(this.watch)
  readonly namespaces = new Namespaces(this.watch)
  readonly access = new BootstrapState()
  readonly policies = new Policies(this.watch)
  readonly policyProposals = new PolicyProposals(this.watch)
  readonly roles = new Roles(this.watch)
  readonly tokens = new Tokens(this.watch)
  readonly authMethods = new AuthMethods(this.watch)
  readonly bindingRules = new BindingRules(this.watch)
  readonly oidcRequests = new OidcRequests(this.watch)
  readonly cluster = new ClusterIdentity()
  readonly autopilot = new AutopilotConfiguration()
  readonly retainedLog = new LogRetentionState()
  readonly erasures = new Erasures(this.watch)
  readonly legalHolds = new LegalHolds(this.watch)
  readonly config = new ConfigEntries(this.watch)
  readonly chains = new CompiledChains(this.config, this.cluster)
  readonly kv = new Kv(this.watch)
  readonly sessions = new Sessions(this.watch)
  readonly queries = new Queries(this.watch)
  readonly catalog = new Catalog(this.watch)
  readonly coordinates = new Coordinates(this.watch)
  readonly addresses = new Addresses()
  readonly cursors = new Cursors(this.watch)
  readonly keptAnswers = new IdempotentResponses()
  readonly restore = new PendingRestore()
  readonly changeSets = new ChangeSets()
  readonly replication = new Replication()
  readonly instances = new LocalInstances(this)
  readonly candidates = new Candidates(this.instances)
  readonly resolver: Resolver
  /** By their names in a snapshot. */
  readonly #projections: Readonly<Record<string, Projection>> = {
    partitions: this.partitions,
    namespaces: this.namespaces,
    access: this.access,
    policies: this.policies,
    policyProposals: this.policyProposals,
    roles: this.roles,
    tokens: this.tokens,
    authMethods: this.authMethods,
    bindingRules: this.bindingRules,
    oidcRequests: this.oidcRequests,
    cluster: this.cluster,
    autopilot: this.autopilot,
    retainedLog: this.retainedLog,
    erasures: this.erasures,
    config: this.config,
    chains: this.chains,
    kv: this.kv,
    sessions: this.sessions,
    queries: this.queries,
    catalog: this.catalog,
    coordinates: this.coordinates,
    addresses: this.addresses,
    cursors: this.cursors,
    legalHolds: this.legalHolds,
    keptAnswers: this.keptAnswers,
    restore: this.restore,
    replication: this.replication,
    changeSets: this.changeSets
  }
  readonly #byTopic = new Map<string, Pick<Projection, 'apply'>[]>()
  /** False for a draft whose entries are checked together, after the last decision. */
  readonly checksEntries: boolean = true
  /** Of the newest commit; only the methods of this class set it, and `time`. */
  index = 0
  /** RFC 3339 time of the newest commit; the year one before the first. */
  time = ZERO_TIME
  #generation = 0

  constructor(readonly settings: ViewOptions) {
    this.resolver = new Resolver(this)
    for (const projection of [...Object.values(this.#projections), this.resolver])
      for (const topic of projection.topics) {
        const list = this.#byTopic.get(topic)
        if (list) list.push(projection)
        else this.#byTopic.set(topic, [projection])
      }
  }

  /** Grows with each reset, which ends reads in several steps. */
  get generation(): number {
    return this.#generation
  }

  get namesVersion(): number {
    return this.policies.namesVersion + this.roles.namesVersion
  }

  policyName(id: string): string | undefined {
    return this.policies.get(id)?.policy.Name
  }

  roleName(id: string): string | undefined {
    return this.roles.get(id)?.role.Name
  }

  /** True for namespaces under deletion too. */
  hasNamespace(tenancy: Tenancy): boolean {
    const { partition, namespace } = tenancy
    return (partition === 'default' && namespace === 'default') || this.namespaces.get(tenancy) !== undefined
  }

  /** Folds the next commit into the read models. @throws Error if the index does not continue the last one: a gap in the log or a duplicate commit */
  apply(commit: Commit, prepared: readonly PreparedKeys[] = NONE_PREPARED): void {
    if (commit.Index !== this.index + 1)
      throw new Error(`commit ${commit.Index} does not follow commit ${this.index}`)
    this.index = commit.Index
    this.time = commit.Time
    this.#fold([commit], prepared)
    if (commit.Answer) this.storeIdempotentResponse(commit.Answer)
  }

  /** The newest commit is folded before its response exists, because the response reflects the new state. */
  storeIdempotentResponse(response: IdempotentResponse): void {
    this.keptAnswers.keep(response, this.index)
  }

  /** Folds events of an earlier commit, for the state of selected resources. The events of one resource come in the order of the log. */
  applyHistorical(commit: Commit): void {
    this.#fold([commit])
  }

  /** Clears everything, for a rebuild from the log. */
  reset(): void {
    for (const projection of Object.values(this.#projections)) projection.reset()
    this.resolver.reset()
    this.index = 0
    this.#generation++
    this.time = ZERO_TIME
  }

  /** The state as the parts of a snapshot, to save or to load into empty read models. */
  saved(): SavedState {
    return new SavedState({
      projections: this.#projections,
      fold: commits => this.#fold(commits),
      time: derivedState<string>({
        clear: () => {},
        save: () => [this.time],
        load: time => void (this.time = time)
      }),
      resume: index => (this.index = index)
    })
  }

  /** The whole state as JSON values in a fixed order, for comparing two states. Cost: all rows. */
  *dump(): Iterable<unknown> {
    yield this.index
    for (const [name, rows] of this.saved().parts()) for (const row of rows) yield [name, row]
  }

  /**
   * Skips erased versions: a later event has the resource's full state, or its end.
   * @param prepared given if all events of one commit are here, so that `Kv.detach` may apply deletions together
   */
  #fold(commits: readonly Commit[], prepared?: readonly PreparedKeys[]): void {
    for (const commit of commits)
      for (let at = 0; at < commit.Events.length; at++) {
        // The first event continues no other.
        const tree = prepared && at > 0 ? this.kv.detach(commit, at, prepared) : undefined
        const event = commit.Events[at]
        if (!event) break
        if (tree) {
          this.changeSets.disownUnder(resourceOf(event), tree.prefix)
          at += tree.count - 1
        } else if (event.Erased) this.kv.skipErased()
        else for (const projection of this.#byTopic.get(event.Topic) ?? []) projection.apply(event, commit)
      }
    if (this.catalog.changes.size > 0) this.catalog.renewInstances()
  }
}
