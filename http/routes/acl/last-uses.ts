// The last uses of tokens by accessor, without the tokens themselves.
import type { TokenUse } from '../../wire/token-use.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { jsonText } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, route, type Route } from '../../wire/route.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { READ_IN_PRIMARY } from './tokens.js'
import * as Type from 'typebox'
import { JsonList } from '../../wire/reads/json-list.js'
import type { BytePieces } from '../../../projections/byte-pieces.js'

const lastUses = Type.Record(
  Type.String(),
  Type.String({ description: 'Minute of the last use, RFC 3339' }),
  { $id: 'LastUses', examples: [{ '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4': '2026-03-01T12:34:00Z' }] }
)

/** Returns a cached test for `acl:read` by namespace. @throws Refusal `denied` without the permission in the request's one namespace */
const namespaceFilter = (request: RequestContext): ((namespace: string) => boolean) => {
  const { partition, namespace } = request.tenancy
  if (namespace !== ALL_NAMESPACES) {
    request.require('acl', 'read')
    return () => true
  }
  const known = new Map<string, boolean>()
  return name => {
    const may = known.get(name) ?? request.may('acl', 'read', '', { partition, namespace: name })
    known.set(name, may)
    return may
  }
}

/** Cost: linear in the number of tokens that were ever used. */
export const lastUseRoutes = (tokenUse: TokenUse): readonly Route[] => [
  route({
    tag: 'ACL tokens',
    access: requires('acl:read'),
    consistency: 'all',
    ...READ_IN_PRIMARY,
    tenancy: 'many',
    method: 'GET',
    path: '/v1/acl/tokens/last-used',
    operationId: 'listLastUses',
    summary: 'List the last uses of tokens by accessor, to the minute, without tokens that have no known use',
    response: lastUses,
    handle: async request => {
      const { views, tenancy } = request
      const mayRead = namespaceFilter(request)
      const uses = function* (): Steps<BytePieces> {
        const pace = new StepPace()
        const members = new JsonList('object')
        for (const [accessor, text] of tokenUse.all()) {
          const row = isWithinTenancy(views.tokens.get(accessor), tenancy)
          if (row && mayRead(row.tenancy.namespace)) members.push(`"${row.token.AccessorID}":"${text}"`)
          if (pace.isOver()) yield
        }
        return members.end()
      }
      return jsonText(await request.runInChunks(uses()))
    }
  })
]
