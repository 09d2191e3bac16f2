import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import type { Event } from '../../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { Views } from '../../read-models.js'
import { spaceOf } from '../../row-table.js'
import { tenancyOf } from '../../tenancy-view.js'
import type { DirectGrants } from '../collect-rules.js'
import { accessorKey, type TokenRow } from '../token-row.js'

/** The read models before and after the events of a future commit. */
export interface AclChange {
  readonly before: Views
  readonly after: Views
  readonly events: readonly Event[]
}

/** The resources whose change can change the rights of tokens that link to them, directly or by others. */
export class ChangedLinks {
  readonly policies = new Set<string>()
  readonly roles = new Set<string>()
  readonly tokens = new Set<string>()
  readonly bindingRules = new Set<string>()
  /** Namespaces with changed defaults, as texts of `spaceOf`. */
  readonly spaces = new Set<string>()

  constructor(private readonly change: AclChange) {
    for (const event of change.events) this.#add(event)
    for (const { roles } of [change.before, change.after])
      for (const id of this.policies) for (const { role } of roles.linkedTo(id)) this.roles.add(role.ID)
    for (const { namespace, partition } of change.before.namespaces.all()) {
      const { PolicyDefaults = [], RoleDefaults = [] } = namespace.ACLs ?? {}
      if (this.#hasLinks({ Policies: PolicyDefaults, Roles: RoleDefaults }))
        this.spaces.add(spaceOf({ partition, namespace: namespace.Name }))
    }
  }

  /** The changed policies; undefined if other resources change, too. */
  get onlyPolicies(): readonly string[] | undefined {
    return this.change.events.every(({ Topic }) => Topic === POLICY_TOPIC) ? [...this.policies] : undefined
  }

  affectsToken({ key, token, tenancy }: TokenRow): boolean {
    return this.tokens.has(key) || this.spaces.has(spaceOf(tenancy)) || this.#hasLinks(token)
  }

  #hasLinks({ Policies, Roles = [] }: Pick<DirectGrants, 'Policies' | 'Roles'>): boolean {
    return Policies.some(({ ID }) => this.policies.has(ID)) || Roles.some(({ ID }) => this.roles.has(ID))
  }

  #add(event: Event): void {
    const { Topic, Key, Partition } = event
    if (Topic === POLICY_TOPIC) this.policies.add(Key)
    else if (Topic === ROLE_TOPIC) this.roles.add(Key)
    else if (Topic === TOKEN_TOPIC) this.tokens.add(accessorKey(Key))
    else if (Topic === BINDING_RULE_TOPIC) this.bindingRules.add(Key)
    else if (Topic === NAMESPACE_TOPIC) this.spaces.add(spaceOf({ partition: Partition, namespace: Key }))
    else if (Topic === AUTH_METHOD_TOPIC)
      for (const { rule } of this.change.before.bindingRules.ofMethod(tenancyOf(event), Key))
        this.bindingRules.add(rule.ID)
  }
}
