// What the token of a request had the right to at an earlier index.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import type { Tenancy } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import { compileAuthorizer, type Authorizer } from '../../projections/acl/authorizer.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import { Views } from '../../projections/views.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import { EVENT_LOG } from '../program/ports.js'
import { thingOutside } from '../wire/past.js'
import type { ApiRequest } from '../wire/request.js'
import { BaseThings } from './base-things.js'
import type { Thing, Version } from '../../projections/past/thing.js'
import { newestVersion, type VersionSource } from './versions.js'

const NOTHING = compileAuthorizer([], 'deny')

interface Linking {
  readonly Policies: readonly { readonly ID: string }[]
  readonly Roles: readonly { readonly ID: string }[]
}

@scoped(Lifecycle.ContainerScoped)
export class RightsThen {
  readonly #log: EventLog
  readonly #base: BaseThings

  constructor(@inject(EVENT_LOG) log: EventLog, base: BaseThings) {
    this.#log = log
    this.#base = base
  }

  /**
   * The rights that count besides the ones of now, by the setting `history.rights`, at one index.
   * @throws Refusal `denied` when the secret presented belongs to no valid token
   */
  at(request: ApiRequest, index: number): Promise<Authorizer | undefined> {
    return this.of(request)(index)
  }

  /**
   * The rights that count besides the ones of now at each index asked for: undefined when none do, and no rights at all where the token
   * did not exist. The first index costs some reads of the log (the token, its namespace, each policy and role that it had), and
   * where commits were let go perhaps a reading of the base for each; a lower one asked for later costs only those that changed in
   * between.
   * @throws Refusal `denied` when the secret presented belongs to no valid token
   */
  of(request: ApiRequest): (index: number) => Promise<Authorizer | undefined> {
    const { settings, authority, present } = request
    const { token } = authority
    if (settings.history.rights === 'now' || !token) return () => Promise.resolve(undefined)
    const versions = new FallingVersions({ log: this.#log, base: this.#base })
    return async index => {
      const reading = new Reading(versions, present, index)
      const then = await reading.token(token)
      return then ? reading.views.resolver.authorizerOf(then) : NOTHING
    }
  }
}

/** The newest versions of things at indexes that fall: one that was read holds down to its own index. */
class FallingVersions {
  readonly #source: VersionSource
  readonly #read = new Map<string, { readonly asked: number; readonly version: Version | undefined }>()

  constructor(source: VersionSource) {
    this.#source = source
  }

  async newest(thing: Thing, index: number): Promise<Version | undefined> {
    const name = JSON.stringify([thing.topic, thing.partition, thing.namespace, thing.key])
    const read = this.#read.get(name)
    if (read && index <= read.asked && (read.version?.commit.Index ?? 0) <= index) return read.version
    const version = await newestVersion(this.#source, thing, index)
    this.#read.set(name, { asked: index, version })
    return version
  }
}

/** Folds what the rights of a token followed from. */
class Reading {
  readonly views: Views
  readonly #versions: FallingVersions
  readonly #present: Views
  readonly #index: number

  constructor(versions: FallingVersions, present: Views, index: number) {
    this.views = new Views(present.settings)
    this.#versions = versions
    this.#present = present
    this.#index = index
  }

  /** Undefined when it was not there. */
  async token({ tenancy, token }: TokenRow): Promise<TokenRow | undefined> {
    await this.#fold({ topic: TOKEN_TOPIC, ...tenancy, key: token.AccessorID })
    const row = this.views.tokens.get(token.AccessorID)
    if (!row) return undefined
    await this.#foldLinks(row.token, row.tenancy)
    await this.#fold(thingOutside(NAMESPACE_TOPIC, tenancy.namespace, tenancy.partition))
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
      await this.#foldLinked(ROLE_TOPIC, ID, own, this.#present.roles.get(ID)?.tenancy)
      for (const link of this.views.roles.get(ID)?.role.Policies ?? []) policies.add(link.ID)
    }
    for (const id of policies)
      await this.#foldLinked(POLICY_TOPIC, id, own, this.#present.policies.get(id)?.tenancy)
  }

  /** What is linked is where it is now, or was where the one is that links to it, or in `default`. */
  async #foldLinked(topic: string, key: string, own: Tenancy, now: Tenancy | undefined): Promise<void> {
    const places = now ? [now] : [own, { ...own, namespace: 'default' }]
    for (const { partition, namespace } of places) await this.#fold({ topic, partition, namespace, key })
  }

  async #fold(thing: Thing): Promise<void> {
    const version = await this.#versions.newest(thing, this.#index)
    // What was erased grants nothing.
    if (version && !version.event.Erased) this.views.recall({ ...version.commit, Events: [version.event] })
  }
}
