// What the token of a request had the right to at an earlier index.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import type { Tenancy } from '../../events/envelope.js'
import type { EventLog, ThingName } from '../../events/log/log.js'
import { compileAuthorizer, type Authorizer } from '../../projections/acl/authorizer.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import { Views } from '../../projections/views.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import { EVENT_LOG } from '../program/ports.js'
import { thingOutside } from '../wire/past.js'
import type { ApiRequest } from '../wire/request.js'
import { BaseThings } from './base-things.js'
import { newestVersion } from './versions.js'

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
   * Those that count besides the ones of now, by the setting `history.rights`; undefined when none do. Of a token that was not there it is none
   * at all. Costs some reads of the log: of the token, its namespace, and each policy and role that it had.
   * @throws Refusal `denied` when the secret presented belongs to no valid token
   */
  async at(request: ApiRequest, index: number): Promise<Authorizer | undefined> {
    const { settings, authority } = request
    if (settings.history.rights === 'now' || !authority.token) return undefined
    const reading = new Reading({ log: this.#log, base: this.#base }, request.present, index)
    const token = await reading.token(authority.token)
    return token ? reading.views.resolver.authorizerOf(token) : NOTHING
  }
}

/** Folds what the rights of a token followed from. */
class Reading {
  readonly views: Views
  readonly #source: { readonly log: EventLog; readonly base: BaseThings }
  readonly #present: Views
  readonly #index: number

  constructor(source: { readonly log: EventLog; readonly base: BaseThings }, present: Views, index: number) {
    this.views = new Views(present.settings)
    this.#source = source
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

  async #fold(thing: ThingName): Promise<void> {
    const version = await newestVersion(this.#source, thing, this.#index)
    // What was erased grants nothing.
    if (version && !version.event.Erased) this.views.recall({ ...version.commit, Events: [version.event] })
  }
}
