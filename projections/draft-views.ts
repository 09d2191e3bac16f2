import { type Commit, type Event, NO_CALLER } from '../events/envelope.js'
import { AuthMethods } from './acl/auth-methods.js'
import { BindingRules } from './acl/binding-rules.js'
import { OidcRequests } from './acl/oidc-requests.js'
import { Policies } from './acl/policies.js'
import { Roles } from './acl/roles.js'
import { Tokens } from './acl/tokens.js'
import { ConfigEntries } from './config/entries.js'
import { type Projection, eventOf } from './projection.js'
import { Queries } from './queries/queries.js'
import { Views } from './read-models.js'
import { Namespaces, Partitions } from './tenancy/namespaces.js'

/**
 * The read models with the uncommitted events of several decisions, for the kinds of change sets. A look-up costs about as much as on the read models
 * below, which must not change meanwhile, or only so that a later decision detects it. Rows are shared, so their cached responses must not be requested here.
 */
export class DraftViews extends Views {
  override readonly partitions: Partitions
  override readonly namespaces: Namespaces
  override readonly policies: Policies
  override readonly roles: Roles
  override readonly tokens: Tokens
  override readonly authMethods: AuthMethods
  override readonly bindingRules: BindingRules
  override readonly oidcRequests: OidcRequests
  override readonly config: ConfigEntries
  override readonly queries: Queries
  override readonly sessions: Views['sessions']
  override readonly catalog: Views['catalog']
  override readonly changeSets: Views['changeSets']
  override readonly policyProposals: Views['policyProposals']
  readonly #changed: readonly Pick<Projection, 'apply'>[]

  constructor(
    private readonly below: Views,
    override readonly checksEntries = true
  ) {
    super(below.settings)
    const { watch } = this
    this.partitions = new Partitions(watch, below.partitions)
    this.namespaces = new Namespaces(watch, below.namespaces)
    this.policies = new Policies(watch, below.policies)
    this.roles = new Roles(watch, below.roles)
    this.tokens = new Tokens(watch, below.tokens)
    this.authMethods = new AuthMethods(watch, below.authMethods)
    this.bindingRules = new BindingRules(watch, below.bindingRules)
    this.oidcRequests = new OidcRequests(watch, below.oidcRequests)
    this.config = new ConfigEntries(watch, below.config)
    this.queries = new Queries(watch, below.queries)
    this.sessions = below.sessions
    this.catalog = below.catalog
    this.changeSets = below.changeSets
    this.policyProposals = below.policyProposals
    this.index = below.index
    this.#changed = [
      this.partitions,
      this.namespaces,
      this.policies,
      this.roles,
      this.tokens,
      this.authMethods,
      this.bindingRules,
      this.oidcRequests,
      this.config,
      this.queries,
      this.kv
    ]
  }

  /** Applies events of the future commit. */
  draft(events: readonly Event[], time: string): void {
    const commit: Commit = { Index: this.index + 1, Time: time, By: NO_CALLER, Events: events }
    for (const event of events) for (const projection of this.#changed) projection.apply(event, commit)
  }

  /** Copies a stored KV entry: the radix tree has no rows below it. */
  loadKey(tenancy: { readonly partition: string; readonly namespace: string }, key: string): void {
    if (this.kv.get(tenancy, key)) return
    const fact = this.below.kv.factAt(tenancy, key)
    if (fact) this.kv.apply(eventOf(fact), { Index: fact.Index, Time: this.time, By: NO_CALLER, Events: [] })
  }
}
