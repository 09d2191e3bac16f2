// The field `Namespace` of ACL resources in the namespace `default`, which is omitted by default (spec: tenancy.md §8).
import type { Tenancy } from '../../events/envelope.js'
import { jsonText, type RouteResponse } from './response.js'
import type { RequestContext } from './request-context.js'

export const withNamespace = (text: string, { namespace }: Tenancy): string =>
  namespace === 'default' ? `${text.slice(0, -1)},"Namespace":"default"}` : text

/** Returns the JSON object of an ACL resource, with `Namespace` if the request names `default` or all namespaces. */
export const aclText = (request: RequestContext, text: string, tenancy: Tenancy): string =>
  request.namesDefault ? withNamespace(text, tenancy) : text

/** Responds to a write of an ACL resource with its current state; `null` if it does not exist. */
export const writtenAcl = <Row extends { readonly tenancy: Tenancy }>(
  request: RequestContext,
  row: Row | undefined,
  text: (row: Row) => string
): RouteResponse => jsonText(row ? aclText(request, text(row), row.tenancy) : 'null')
