// Finds the links by which a token has its rules.
import type { Tenancy } from '../../events/envelope.js'
import type { Authorizer, LayerName } from './authorizer.js'
import {
  LEGACY_SOURCE,
  nodeIdentitySource,
  policySource,
  serviceIdentitySource,
  type DirectGrants
} from './collect-rules.js'
import type { Policies } from './policies.js'
import type { Roles } from './roles.js'
import type { TokenRow } from './token-row.js'
import type { Views } from '../read-models.js'

export interface RuleHolder {
  readonly Kind: 'token' | 'role' | 'namespace default' | 'role of a namespace default'
  readonly ID?: string
  readonly Name?: string
}

export interface Source {
  readonly Kind: 'policy' | 'service identity' | 'node identity' | 'legacy rules'
  readonly ID?: string
  readonly Name?: string
  readonly Links: readonly RuleHolder[]
}

/** The links of a token, and those of its namespace. */
export interface SubjectLinks {
  readonly holdings: DirectGrants
  readonly defaults: Pick<DirectGrants, 'Policies' | 'Roles'>
}

export interface Subject extends SubjectLinks {
  readonly authorizer: Authorizer
}

export const defaultsOf = (
  tenancy: Tenancy,
  { namespaces }: Pick<Views, 'namespaces'>
): SubjectLinks['defaults'] => {
  const acls = namespaces.get(tenancy)?.namespace.ACLs
  return { Policies: acls?.PolicyDefaults ?? [], Roles: acls?.RoleDefaults ?? [] }
}

export const subjectOf = (row: TokenRow, views: Pick<Views, 'resolver' | 'namespaces'>): Subject => ({
  authorizer: views.resolver.authorizerOf(row),
  holdings: row.token,
  defaults: defaultsOf(row.tenancy, views)
})

export interface Names {
  readonly policies: Policies
  readonly roles: Roles
}

type NamedSource = Omit<Source, 'Links'>

const sourcesOf = (holdings: DirectGrants): Map<string, NamedSource> => {
  const sources = new Map<string, NamedSource>()
  for (const { ID } of holdings.Policies) sources.set(policySource(ID), { Kind: 'policy', ID })
  for (const { ServiceName: Name } of holdings.ServiceIdentities)
    sources.set(serviceIdentitySource(Name), { Kind: 'service identity', Name })
  for (const { NodeName: Name } of holdings.NodeIdentities)
    sources.set(nodeIdentitySource(Name), { Kind: 'node identity', Name })
  if (holdings.Rules !== undefined) sources.set(LEGACY_SOURCE, { Kind: 'legacy rules' })
  return sources
}

const namedIn = ({ policies }: Names, source: NamedSource, Links: readonly RuleHolder[]): Source => {
  const Name = source.ID === undefined ? source.Name : policies.get(source.ID)?.policy.Name
  return { ...source, ...(Name === undefined ? {} : { Name }), Links }
}

/** Returns one of `sourcesOfLayer`. */
export const sourceOf = (
  links: SubjectLinks,
  layer: LayerName,
  key: string,
  names: Names
): Source | undefined => {
  const found: RuleHolder[] = []
  let named: NamedSource | undefined
  for (const { holder, sources } of holders(links, layer, names)) {
    const source = sources.get(key)
    if (source) found.push(holder)
    named ??= source
  }
  return named && namedIn(names, named, found)
}

function* holders({ holdings, defaults }: SubjectLinks, layer: LayerName, { roles }: Names) {
  const own = layer === 'token'
  const direct: DirectGrants = own ? holdings : { ...defaults, ServiceIdentities: [], NodeIdentities: [] }
  const kind: RuleHolder['Kind'] = own ? 'token' : 'namespace default'
  yield { holder: { Kind: kind } satisfies RuleHolder, sources: sourcesOf(direct) }
  for (const { ID } of direct.Roles ?? []) {
    const role = roles.get(ID)?.role
    const roleKind: RuleHolder['Kind'] = own ? 'role' : 'role of a namespace default'
    if (role)
      yield {
        holder: { Kind: roleKind, ID, Name: role.Name } satisfies RuleHolder,
        sources: sourcesOf(role)
      }
  }
}

export const sourcesOfLayer = (
  links: SubjectLinks,
  layer: LayerName,
  names: Names
): ReadonlyMap<string, Source> => {
  const found = new Map<string, { readonly source: NamedSource; readonly Links: RuleHolder[] }>()
  for (const { holder, sources } of holders(links, layer, names))
    for (const [key, source] of sources) {
      const known = found.get(key)
      if (known) known.Links.push(holder)
      else found.set(key, { source, Links: [holder] })
    }
  return new Map(Array.from(found, ([key, { source, Links }]) => [key, namedIn(names, source, Links)]))
}
