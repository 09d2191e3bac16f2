// The permissions that the token of a request had at an earlier index.
import { Lifecycle, scoped } from 'tsyringe'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import type { Tenancy } from '../../events/envelope.js'
import { compileAuthorizer, type Authorizer } from '../../projections/acl/authorizer.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import { Views } from '../../projections/read-models.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import { clusterResource } from '../wire/history-declaration.js'
import type { RequestContext } from '../wire/request-context.js'
import type { HistoryTarget, ResourceVersion } from '../../projections/history/history-target.js'
import { VersionReader } from './versions.js'

const NOTHING = compileAuthorizer([], 'deny')

interface Linking {
  readonly Policies: readonly { readonly ID: string }[]
  readonly Roles: readonly { readonly ID: string }[]
}

@scoped(Lifecycle.ContainerScoped)
export class HistoricalPermissions {
  constructor(private readonly versions: VersionReader) {}

  /**
   * Returns the permissions at an index, which apply besides the current ones if `history.rights` says so.
   * @throws Refusal `denied` if the presented secret belongs to no valid token
   */
  at(request: RequestContext, index: number): Promise<Authorizer | undefined> {
    return this.of(request)(index)
  }

  /**
   * As `at`, for many indexes: undefined if only the current permissions apply, and no permissions before the token's creation. The first
   * index costs a log read, or a read of the base snapshot, for the token, its namespace and each of its policies and roles. Pass indexes
   * in descending order: each then costs only the changes in between.
   * @throws Refusal `denied` if the presented secret belongs to no valid token
   */
  of(request: RequestContext): (index: number) => Promise<Authorizer | undefined> {
    const { settings, authority, currentViews: present } = request
    const { token } = authority
    if (settings.history.rights === 'now' || !token) return () => Promise.resolve(undefined)
    const versions = new FallingVersions(this.versions)
    return async index => {
      const reader = new PermissionReader(versions, present, index)
      const then = await reader.token(token)
      return then ? reader.views.resolver.authorizerOf(then) : NOTHING
    }
  }
}

/** The versions of resources at descending indexes. Each version is read once and serves all indexes down to its own. */
class FallingVersions {
  readonly #read = new Map<
    string,
    { readonly index: number; readonly version: ResourceVersion | undefined }
  >()

  constructor(private readonly versions: VersionReader) {}

  async newest(resource: HistoryTarget, index: number): Promise<ResourceVersion | undefined> {
    const name = JSON.stringify([resource.topic, resource.partition, resource.namespace, resource.key])
    const read = this.#read.get(name)
    if (read && index <= read.index && (read.version?.commit.Index ?? 0) <= index) return read.version
    const version = await this.versions.newest(resource, index)
    this.#read.set(name, { index, version })
    return version
  }
}

/** Creates read models of the token, policies and roles at one index, which determine its permissions. */
class PermissionReader {
  readonly views: Views

  constructor(
    private readonly versions: FallingVersions,
    private readonly present: Views,
    private readonly index: number
  ) {
    this.views = new Views(present.settings)
  }

  /** Returns the token at the index; undefined if it did not exist. */
  async token({ tenancy, token }: TokenRow): Promise<TokenRow | undefined> {
    await this.#fold({ topic: TOKEN_TOPIC, ...tenancy, key: token.AccessorID })
    const row = this.views.tokens.get(token.AccessorID)
    if (!row) return undefined
    await this.#foldLinks(row.token, row.tenancy)
    await this.#fold(clusterResource(NAMESPACE_TOPIC, tenancy.namespace, tenancy.partition))
    const acls = this.views.namespaces.get(tenancy)?.namespace.ACLs
    if (acls)
      await this.#foldLinks(
        { Policies: acls.PolicyDefaults ?? [], Roles: acls.RoleDefaults ?? [] },
        { ...tenancy, namespace: 'default' }
      )
    return row
  }

  async #foldLinks({ Policies, Roles }: Linking, own: Tenancy): Promise<void> {
    const policies = new Set(Policies.map(({ ID }) => ID))
    for (const { ID } of Roles) {
      await this.#foldLinked(ROLE_TOPIC, ID, own, this.present.roles.get(ID)?.tenancy)
      for (const link of this.views.roles.get(ID)?.role.Policies ?? []) policies.add(link.ID)
    }
    for (const id of policies)
      await this.#foldLinked(POLICY_TOPIC, id, own, this.present.policies.get(id)?.tenancy)
  }

  /** Reads a policy or role where it is now, and a deleted one in the namespace of its link and in `default`. */
  async #foldLinked(topic: string, key: string, own: Tenancy, now: Tenancy | undefined): Promise<void> {
    const places = now ? [now] : [own, { ...own, namespace: 'default' }]
    for (const { partition, namespace } of places) await this.#fold({ topic, partition, namespace, key })
  }

  async #fold(resource: HistoryTarget): Promise<void> {
    const version = await this.versions.newest(resource, this.index)
    // Erased events grant nothing.
    if (version && !version.event.Erased)
      this.views.applyHistorical({ ...version.commit, Events: [version.event] })
  }
}
