import type { Tenancy } from '../../events/envelope.js'
import {
  DecidingAuthorizer,
  type Access,
  type Authorizer,
  type AuthorizerRules,
  type Decision,
  type Resource
} from './authorizer.js'

/** Grants what both grant; a denial has the reason of the first authorizer that denies. */
export class AuthorizerIntersection extends DecidingAuthorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly one: Authorizer,
    private readonly other: Authorizer
  ) {
    super()
    this.rules = one.rules
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    const decision = this.one.decide(resource, access, segment, tenancy)
    return decision.allowed ? this.other.decide(resource, access, segment, tenancy) : decision
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    const decision = this.one.decideAll(resource, access, tenancy)
    return decision.allowed ? this.other.decideAll(resource, access, tenancy) : decision
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const decision = this.one.decideNamespace(access, tenancy)
    return decision.allowed ? this.other.decideNamespace(access, tenancy) : decision
  }
}
