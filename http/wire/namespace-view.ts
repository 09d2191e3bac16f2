// `Namespace` in answers about things of the namespace `default`, which leave it out by themselves (spec: tenancy.md §8).
import type { Tenancy } from '../../events/envelope.js'
import { jsonText, type RouteResponse } from './response.js'
import type { RequestContext } from './request-context.js'

interface InTenancy {
  readonly tenancy: Tenancy
}

/** A thing's JSON object, naming its namespace also where that is `default`. */
export const withNamespace = (text: string, { namespace }: Tenancy): string =>
  namespace === 'default' ? `${text.slice(0, -1)},"Namespace":"default"}` : text

/** The JSON object of an ACL thing for a request that names `default`, or all namespaces, and for one that does not. */
export const aclText = (request: RequestContext, text: string, tenancy: Tenancy): string =>
  request.namesDefault ? withNamespace(text, tenancy) : text

/** What a write of an ACL thing answers with: the thing as it is now; `null` for one that is not there. */
export const writtenAcl = <Row extends InTenancy>(
  request: RequestContext,
  row: Row | undefined,
  text: (row: Row) => string
): RouteResponse => jsonText(row ? aclText(request, text(row), row.tenancy) : 'null')
