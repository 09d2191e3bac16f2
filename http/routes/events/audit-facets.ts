// Counts of audited commits by accessor, topic, namespace and type.
import { auditFacets } from '../../schemas/audit-facets.js'
import { MAX_COUNTED, type AuditFacets } from '../../stream/audit-facets.js'
import { json } from '../../wire/response.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { AUDIT_RANGE, AUDIT_SELECTION } from '../../stream/audit-parsing.js'

export const auditFacetRoutes = (facets: AuditFacets): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/audit/facets',
    process: 'main',
    operationId: 'countAuditFacets',
    summary: `Count the newest ${MAX_COUNTED} commits of a range by accessor, topic, namespace and type`,
    access: anyToken(
      'commits without a readable event are left out; accessor, address and Accessors require operator:read'
    ),
    tenancy: 'none',
    refusesUnknown: true,
    query: { ...AUDIT_SELECTION, ...AUDIT_RANGE },
    response: auditFacets,
    handle: async request => json(await facets.count(request))
  })
]
