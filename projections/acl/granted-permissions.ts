import type { Tenancy } from '../../events/envelope.js'
import {
  DecidingAuthorizer,
  isGranted,
  type Access,
  type Authorizer,
  type AuthorizerRules,
  type Decision,
  type Resource,
  type Ruling
} from './authorizer.js'
import type { Authority } from './resolver.js'

/** Idempotent responses in the log store this text, so it cannot change. */
const RESOURCE = 'thing'

export type GrantedPermission = Tenancy &
  (
    | {
        readonly asked: typeof RESOURCE
        readonly resource: Resource
        readonly access: Access
        readonly segment: string
      }
    | { readonly asked: 'all'; readonly resource: Resource }
    | { readonly asked: 'namespace'; readonly access: 'read' | 'write' }
  )

export const stillGrants = (authorizer: Authorizer, right: GrantedPermission): boolean => {
  switch (right.asked) {
    case RESOURCE:
      return authorizer.may(right.resource, right.access, right.segment, right)
    case 'all':
      return authorizer.mayAll(right.resource, 'read', right)
    case 'namespace':
      return authorizer.mayNamespace(right.access, right)
  }
}

/** Records each permission that is granted to an authority once, so that it can be checked again later. */
export class GrantedPermissions {
  readonly #texts = new Set<string>()

  /** Returns the same authority with recording. */
  watch({ token, authorizer }: Authority): Authority {
    return { token, authorizer: new WatchedAuthorizer(authorizer, right => this.#note(right)) }
  }

  toJson(): string {
    return `[${[...this.#texts].join(',')}]`
  }

  #note(right: GrantedPermission): void {
    this.#texts.add(JSON.stringify(right))
  }
}

class WatchedAuthorizer extends DecidingAuthorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly authorizer: Authorizer,
    private readonly note: (right: GrantedPermission) => void
  ) {
    super()
    this.rules = authorizer.rules
  }

  rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling {
    const ruling = this.authorizer.rulingOf(resource, access, segment, tenancy)
    const { partition, namespace } = tenancy
    if (isGranted(ruling, access))
      this.note({ asked: RESOURCE, resource, access, segment, partition, namespace })
    return ruling
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    const decision = this.authorizer.decide(resource, access, segment, tenancy)
    const { partition, namespace } = tenancy
    if (decision.allowed) this.note({ asked: RESOURCE, resource, access, segment, partition, namespace })
    return decision
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideAll(resource, access, tenancy)
    const { partition, namespace } = tenancy
    if (decision.allowed) this.note({ asked: 'all', resource, partition, namespace })
    return decision
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideNamespace(access, tenancy)
    const { partition, namespace } = tenancy
    if (decision.allowed) this.note({ asked: 'namespace', access, partition, namespace })
    return decision
  }
}
