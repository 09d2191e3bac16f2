import type { Tenancy } from '../../events/envelope.js'
import type { Access, Authorizer, AuthorizerRules, Decision, Resource } from './authorizer.js'

/** Grants what both grant; a denial has the reason of the first authorizer that denies. */
export class AuthorizerIntersection implements Authorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly one: Authorizer,
    private readonly other: Authorizer
  ) {
    this.rules = one.rules
  }

  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean {
    return (
      this.one.may(resource, access, segment, tenancy) && this.other.may(resource, access, segment, tenancy)
    )
  }

  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean {
    return this.one.mayAll(resource, access, tenancy) && this.other.mayAll(resource, access, tenancy)
  }

  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean {
    return this.one.mayNamespace(access, tenancy) && this.other.mayNamespace(access, tenancy)
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
