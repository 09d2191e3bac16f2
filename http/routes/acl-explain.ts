// Why a token may or may not do something.
import type { Static } from 'typebox'
import { aclNotFound, invalid } from '../../actors/refusal.js'
import {
  AuthorizeRequestError,
  checkAuthorization,
  type AuthorizationQuestion
} from '../../projections/acl/authorize-request.js'
import { explain } from '../../projections/acl/explain.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import { shownTenancy } from '../../projections/shown-tenancy.js'
import { json } from '../answer.js'
import { readDenial } from '../denial.js'
import type { ApiRequest } from '../request.js'
import { needs, type Route } from '../route.js'
import { explainBody, explanation } from '../schemas/acl.js'

type ExplainBody = Static<typeof explainBody>
const body = { schema: explainBody, name: 'Explain' }

/** The fields that the text of a 403 stands for. @throws Refusal `invalid` for another text */
const fromDenial = ({ Denial }: ExplainBody): ExplainBody => {
  const denied = readDenial(Denial ?? '')
  if (!denied)
    throw invalid(
      `Bad request: Denial must be the text of a 403, as in "… token with AccessorID '…' lacks permission '…' …"`
    )
  const [Resource = '', Access = ''] = denied.permission.split(':')
  const { partition: Partition, namespace: Namespace } = denied.tenancy
  return { AccessorID: denied.accessor, Resource, Access, Segment: denied.on, Namespace, Partition }
}

/** @throws Refusal `invalid`, naming field and rule */
const questionOf = (given: ExplainBody): AuthorizationQuestion => {
  try {
    return checkAuthorization(given, { ofNamespaces: true })
  } catch (error) {
    if (error instanceof AuthorizeRequestError) throw invalid(`Bad request: ${error.message}`)
    throw error
  }
}

/**
 * The token asked about. Whoever asks needs `acl:read` where the token lives; a token that is not there needs it where
 * the request is.
 * @throws Refusal `invalid`, `denied`
 */
const subjectOf = (request: ApiRequest, { Token, AccessorID }: ExplainBody): TokenRow => {
  const { tokens } = request.app.views
  const row = Token ? tokens.bySecret(Token) : AccessorID ? tokens.get(AccessorID) : undefined
  request.require('acl', 'read', '', row?.tenancy ?? request.tenancy)
  if (!Token === !AccessorID) throw invalid('Bad request: one of Token and AccessorID must be given')
  if (!row?.isValid(request.now)) throw aclNotFound()
  return row
}

export const explainRoutes: readonly Route[] = [
  {
    tag: 'ACL rules',
    access: needs('acl:read', 'in the namespace of the token'),
    blocking: false,
    consistency: 'none',
    caching: 'none',
    method: 'POST',
    path: '/v1/acl/explain',
    summary: 'Tell why a token may or may not do something: the rule that decides, and its way to the token',
    body,
    response: explanation,
    // The namespace in the body is that of the question, not of the request.
    handle: request => {
      const sent = request.decode(body)
      const given = sent.Denial === undefined ? sent : fromDenial(sent)
      const row = subjectOf(request, given)
      const question = questionOf(given)
      const { views } = request.app
      const authorizer = views.resolver.authorizerOf(row)
      const acls = views.namespaces.get(row.tenancy)?.namespace.ACLs
      const defaults = { Policies: acls?.PolicyDefaults ?? [], Roles: acls?.RoleDefaults ?? [] }
      const subject = { authorizer, holdings: row.token, defaults }
      return json({
        ...explain(question, subject, views),
        AccessorID: row.token.AccessorID,
        Resource: question.resource,
        Access: question.access,
        ...(question.segment === '' ? {} : { Segment: question.segment }),
        ...shownTenancy(question.tenancy)
      })
    }
  }
]
