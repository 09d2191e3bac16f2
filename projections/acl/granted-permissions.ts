// What somebody had the right to while something was done, so that it can be asked for again later.
import type { Tenancy } from '../../events/envelope.js'
import type { Access, Authorizer, AuthorizerRules, Decision, Resource } from './authorizer.js'
import type { Authority } from './resolver.js'

/** A question that an authorizer has answered with yes. */
export type GrantedPermission = Tenancy &
  (
    | {
        readonly asked: 'thing'
        readonly resource: Resource
        readonly access: Access
        readonly segment: string
      }
    | { readonly asked: 'all'; readonly resource: Resource }
    | { readonly asked: 'namespace'; readonly access: 'read' | 'write' }
  )

/** Whether an authorizer answers the same. */
export const stillGrants = (authorizer: Authorizer, right: GrantedPermission): boolean => {
  switch (right.asked) {
    case 'thing':
      return authorizer.may(right.resource, right.access, right.segment, right)
    case 'all':
      return authorizer.mayAll(right.resource, 'read', right)
    case 'namespace':
      return authorizer.mayNamespace(right.access, right)
  }
}

/** Remembers, each once, what is granted to an authority. */
export class GrantedPermissions {
  readonly #texts = new Set<string>()

  /** The same authority, whose grants are remembered from now on. */
  watch({ token, authorizer }: Authority): Authority {
    return { token, authorizer: new WatchedAuthorizer(authorizer, right => this.#note(right)) }
  }

  /** JSON of a list of `GrantedRight`. */
  toJson(): string {
    return `[${[...this.#texts].join(',')}]`
  }

  #note(right: GrantedPermission): void {
    this.#texts.add(JSON.stringify(right))
  }
}

class WatchedAuthorizer implements Authorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly authorizer: Authorizer,
    private readonly note: (right: GrantedPermission) => void
  ) {
    this.rules = authorizer.rules
  }

  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean {
    const isGranted = this.authorizer.may(resource, access, segment, tenancy)
    if (isGranted) this.#noteResource(resource, access, segment, tenancy)
    return isGranted
  }

  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean {
    const isGranted = this.authorizer.mayAll(resource, access, tenancy)
    if (isGranted) this.#noteAll(resource, tenancy)
    return isGranted
  }

  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean {
    const isGranted = this.authorizer.mayNamespace(access, tenancy)
    if (isGranted) this.#noteNamespace(access, tenancy)
    return isGranted
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    const decision = this.authorizer.decide(resource, access, segment, tenancy)
    if (decision.allowed) this.#noteResource(resource, access, segment, tenancy)
    return decision
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideAll(resource, access, tenancy)
    if (decision.allowed) this.#noteAll(resource, tenancy)
    return decision
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideNamespace(access, tenancy)
    if (decision.allowed) this.#noteNamespace(access, tenancy)
    return decision
  }

  #noteResource(
    resource: Resource,
    access: Access,
    segment: string,
    { partition, namespace }: Tenancy
  ): void {
    this.note({ asked: 'thing', resource, access, segment, partition, namespace })
  }

  #noteAll(resource: Resource, { partition, namespace }: Tenancy): void {
    this.note({ asked: 'all', resource, partition, namespace })
  }

  #noteNamespace(access: 'read' | 'write', { partition, namespace }: Tenancy): void {
    this.note({ asked: 'namespace', access, partition, namespace })
  }
}
