// By which links the rules of a token came to it.
import type { Authorizer, LayerName } from './authorizer.js'
import {
  LEGACY_SOURCE,
  nodeIdentitySource,
  policySource,
  serviceIdentitySource,
  type Holdings
} from './gather.js'
import type { Policies } from './policies.js'
import type { Roles } from './roles.js'

/** Who holds the source of a rule: the token itself, one of its roles, or the defaults of its namespace. */
export interface Holder {
  readonly Kind: 'token' | 'role' | 'namespace default' | 'role of a namespace default'
  readonly ID?: string
  readonly Name?: string
}

/** Where the deciding rule comes from. */
export interface Source {
  readonly Kind: 'policy' | 'service identity' | 'node identity' | 'legacy rules'
  readonly ID?: string
  readonly Name?: string
  readonly Links: readonly Holder[]
}

/** Whose rules are told. */
export interface Subject {
  readonly authorizer: Authorizer
  readonly holdings: Holdings
  /** Default policies and roles of the token's namespace. */
  readonly defaults: Pick<Holdings, 'Policies' | 'Roles'>
}

/** What policies and roles are called today. */
export interface Names {
  readonly policies: Policies
  readonly roles: Roles
}

/** What a source is called, whatever holds it. */
const sourcesOf = (holdings: Holdings): Map<string, Omit<Source, 'Links'>> => {
  const sources = new Map<string, Omit<Source, 'Links'>>()
  for (const { ID } of holdings.Policies) sources.set(policySource(ID), { Kind: 'policy', ID })
  for (const { ServiceName: Name } of holdings.ServiceIdentities)
    sources.set(serviceIdentitySource(Name), { Kind: 'service identity', Name })
  for (const { NodeName: Name } of holdings.NodeIdentities)
    sources.set(nodeIdentitySource(Name), { Kind: 'node identity', Name })
  if (holdings.Rules !== undefined) sources.set(LEGACY_SOURCE, { Kind: 'legacy rules' })
  return sources
}

/** Everything that holds rules of a layer, with what its sources are called. */
function* holders({ holdings, defaults }: Subject, layer: LayerName, { roles }: Names) {
  const own = layer === 'token'
  const direct: Holdings = own ? holdings : { ...defaults, ServiceIdentities: [], NodeIdentities: [] }
  const kind: Holder['Kind'] = own ? 'token' : 'namespace default'
  yield { holder: { Kind: kind } satisfies Holder, sources: sourcesOf(direct) }
  for (const { ID } of direct.Roles ?? []) {
    const role = roles.get(ID)?.role
    const roleKind: Holder['Kind'] = own ? 'role' : 'role of a namespace default'
    if (role)
      yield {
        holder: { Kind: roleKind, ID, Name: role.Name } satisfies Holder,
        sources: sourcesOf(role)
      }
  }
}

/** Where a rule of a layer comes from; undefined when nothing that is held now has such a source. */
export const sourceOf = (
  subject: Subject,
  source: string,
  layer: LayerName,
  names: Names
): Source | undefined => {
  const Links: Holder[] = []
  let found: Omit<Source, 'Links'> | undefined
  for (const { holder, sources } of holders(subject, layer, names)) {
    const known = sources.get(source)
    if (!known) continue
    found ??= known
    Links.push(holder)
  }
  if (!found) return undefined
  const Name = found.ID === undefined ? found.Name : names.policies.get(found.ID)?.policy.Name
  return { ...found, ...(Name === undefined ? {} : { Name }), Links }
}
