// Finds links of a token or role without which the recorded questions have the same answers.
import type { Views } from '../../read-models.js'
import type { Steps } from '../../steps.js'
import type { DirectGrants } from '../collect-rules.js'
import { compileGrants } from '../resolver.js'
import type { HeldResource } from './holders.js'
import type { UsageSubject } from './question.js'
import { answersHold, type SubjectQuestions } from './rule-usage.js'

interface UsedLink {
  readonly kind: 'policy' | 'role' | 'service identity' | 'node identity'
  /** Of a policy or role. */
  readonly id?: string
  /** Of an identity. */
  readonly name?: string
}

export interface LinkUse {
  readonly link: UsedLink
  /** True if a recorded answer would be different without the link. */
  readonly isNeeded: boolean
}

const without = <Item>(items: readonly Item[], at: number): readonly Item[] =>
  items.filter((_, i) => i !== at)

/** Returns each link with the grants that lack it. */
const links = (grants: DirectGrants): readonly (readonly [UsedLink, DirectGrants])[] => {
  const { Policies, Roles = [], ServiceIdentities, NodeIdentities } = grants
  return [
    ...Policies.map(
      ({ ID: id }, at) =>
        [{ kind: 'policy', id } as const, { ...grants, Policies: without(Policies, at) }] as const
    ),
    ...Roles.map(
      ({ ID: id }, at) => [{ kind: 'role', id } as const, { ...grants, Roles: without(Roles, at) }] as const
    ),
    ...ServiceIdentities.map(
      ({ ServiceName: name }, at) =>
        [
          { kind: 'service identity', name } as const,
          { ...grants, ServiceIdentities: without(ServiceIdentities, at) }
        ] as const
    ),
    ...NodeIdentities.map(
      ({ NodeName: name }, at) =>
        [
          { kind: 'node identity', name } as const,
          { ...grants, NodeIdentities: without(NodeIdentities, at) }
        ] as const
    )
  ]
}

const grantsOf = ({ accessor, holdings }: UsageSubject, { tokens }: Views): DirectGrants =>
  (accessor === undefined ? undefined : tokens.get(accessor)?.token) ?? holdings

/** Returns the links of a token or role; none for a policy. */
export function* linkUses(
  views: Views,
  { kind, id }: HeldResource,
  subjects: readonly SubjectQuestions[]
): Steps<readonly LinkUse[]> {
  const uses: LinkUse[] = []
  if (kind === 'policy') return uses
  const grants = kind === 'token' ? views.tokens.get(id)?.token : views.roles.get(id)?.role
  for (const [link, left] of grants ? links(grants) : []) {
    const rightsWithout = ({ subject }: SubjectQuestions) => {
      const { datacenter, holdings } = subject
      const { tenancy } = holdings
      const where = datacenter === undefined ? {} : { datacenter }
      if (kind === 'token') return compileGrants(left, tenancy, views, where).authorizer
      const roles = {
        get: (role: string) =>
          role.toLowerCase() === id.toLowerCase() ? { role: left } : views.roles.get(role)
      }
      return compileGrants(grantsOf(subject, views), tenancy, views, { ...where, roles }).authorizer
    }
    uses.push({ link, isNeeded: !(yield* answersHold(subjects, rightsWithout)) })
    yield
  }
  return uses
}
