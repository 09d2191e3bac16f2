import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import { ANY_NAMESPACE, type Access, type Resource } from './authorizer.js'
import { LABELLED, UNLABELLED } from './rules/model.js'

/** An invalid element. The message is for the caller, after the prefix `Bad request: `. */
export class AuthorizeRequestError extends Error {
  override readonly name = 'AuthorizeRequestError'
}

/** One element of the body, as it was sent. Absent and empty members are the same. */
export interface AuthorizationElement {
  readonly Resource?: string | null | undefined
  readonly Access?: string | null | undefined
  readonly Segment?: string | null | undefined
  readonly Namespace?: string | null | undefined
  readonly Partition?: string | null | undefined
}

export interface AuthorizationQuestion {
  readonly resource: Resource
  readonly access: Access
  readonly segment: string
  /** The element's own, `default` if it names none; the tenancy of the request and the token is ignored. */
  readonly tenancy: Tenancy
}

const READ_WRITE: readonly Access[] = ['read', 'write']
const KEY: readonly Access[] = ['read', 'list', 'write', 'write-prefix']
/** The accesses that denials may name. */
const PREFIXED: readonly Access[] = [...READ_WRITE, 'write-prefix']
const RESOURCES: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention']

/**
 * Validates an element of `POST /v1/internal/acl/authorize` (spec: acl.md §10): resources are named exactly, accesses in any letter case.
 * @param options.ofNamespaces allows permissions on a namespace itself or on all names with a prefix, and `*` for any namespace
 * @throws {AuthorizeRequestError} for an unknown resource or access, or if the tenancy is `*`
 */
export function checkAuthorization(
  element: AuthorizationElement,
  { ofNamespaces }: { readonly ofNamespaces: boolean } = { ofNamespaces: false }
): AuthorizationQuestion {
  const known: readonly Resource[] = ofNamespaces ? [...RESOURCES, 'namespace'] : RESOURCES
  const resource = known.find(one => one === element.Resource)
  if (resource === undefined)
    throw refused(`Invalid ACL resource requested: ${JSON.stringify(element.Resource ?? '')}`)
  const wanted = (element.Access ?? '').toLowerCase()
  const others =
    ofNamespaces && (resource === 'intention' || LABELLED.some(one => one === resource))
      ? PREFIXED
      : READ_WRITE
  const access = (resource === 'key' ? KEY : others).find(one => one === wanted)
  if (access === undefined)
    throw refused(`Invalid access level for ${resource} resource: ${element.Access ?? ''}`)
  const namespace = (element.Namespace ?? '').toLowerCase()
  const partition = (element.Partition ?? '').toLowerCase()
  if ((namespace === ANY_NAMESPACE && !ofNamespaces) || partition === ANY_NAMESPACE)
    throw refused('the wildcard "*" cannot stand for a Namespace or Partition here')
  const tenancy = {
    partition: partition || DEFAULT_TENANCY.partition,
    namespace: namespace || DEFAULT_TENANCY.namespace
  }
  return { resource, access, segment: element.Segment ?? '', tenancy }
}

const refused = (why: string) => new AuthorizeRequestError(why)
