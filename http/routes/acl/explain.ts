// Why a token may or may not do something.
import type { Static } from 'typebox'
import { aclNotFound, invalid } from '../../../actors/refusal.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import {
  AuthorizeRequestError,
  checkAuthorization,
  type AuthorizationElement,
  type AuthorizationQuestion
} from '../../../projections/acl/authorize-request.js'
import { explain, type ExplainedQuestion } from '../../../projections/acl/explain.js'
import { subjectOf } from '../../../projections/acl/sources.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import { json } from '../../wire/response.js'
import { readDenial } from '../../wire/denial.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, type Route } from '../../wire/route.js'
import { explainBody, explanation } from '../../schemas/acl.js'

type ExplainBody = Static<typeof explainBody>
const body = { schema: explainBody, name: 'Explain' }

/** Which token is asked about, and what it may do. */
interface Asked {
  readonly who: Pick<ExplainBody, 'Token' | 'AccessorID'>
  /** Made when it is known that the caller may ask. @throws Refusal `invalid`, naming field and rule */
  readonly question: () => ExplainedQuestion
}

/** @throws Refusal `invalid`, naming field and rule */
const checked = (element: AuthorizationElement): AuthorizationQuestion => {
  try {
    return checkAuthorization(element, { ofNamespaces: true })
  } catch (error) {
    if (error instanceof AuthorizeRequestError) throw invalid(`Bad request: ${error.message}`)
    throw error
  }
}

/** What the text of a 403 stands for. @throws Refusal `invalid` for another text */
const fromDenial = (text: string): Asked => {
  const denied = readDenial(text)
  if (!denied)
    throw invalid(
      `Bad request: Denial must be the text of a 403, as in "… token with AccessorID '…' lacks permission '…' …"`
    )
  const { accessor, permission, on: segment, tenancy } = denied
  const [Resource = '', Access = ''] = permission.split(':')
  const isReadJob = permission === 'namespace:read-job'
  return {
    who: { AccessorID: accessor },
    question: () => {
      const { resource, access } = checked({ Resource, Access: isReadJob ? 'read' : Access })
      return { resource, access: isReadJob ? 'read-job' : access, segment, tenancy }
    }
  }
}

/**
 * Returns the token asked about. A token may always ask about itself. Other callers need `acl:read` where the token lives, and where the
 * request is for a token that is missing.
 * @throws Refusal `invalid`, `denied`
 */
const tokenOf = (request: RequestContext, { Token, AccessorID }: Asked['who']): TokenRow => {
  const { tokens } = request.views
  const row = Token ? tokens.bySecret(Token) : AccessorID ? tokens.get(AccessorID) : undefined
  const own = request.authority.token?.token.AccessorID
  const isOwn = own !== undefined && own !== ANONYMOUS_ACCESSOR && row?.token.AccessorID === own
  if (!isOwn) request.require('acl', 'read', '', row?.tenancy ?? request.tenancy)
  if (!Token === !AccessorID) throw invalid('Bad request: one of Token and AccessorID must be given')
  if (!row?.isValid(request.now)) throw aclNotFound()
  return row
}

export const explainRoutes: readonly Route[] = [
  {
    tag: 'ACL rules',
    access: requires('acl:read', 'in the namespace of the token; a token needs nothing to ask about itself'),
    method: 'POST',
    path: '/v1/acl/explain',
    operationId: 'explainDecision',
    summary: 'Tell why a token may or may not do something: the rule that decides, and its way to the token',
    idempotency: 'nothing written',
    body,
    response: explanation,
    // The namespace in the body is that of the question, not of the request.
    handle: request => {
      const sent = request.decode(body)
      const asked =
        sent.Denial === undefined ? { who: sent, question: () => checked(sent) } : fromDenial(sent.Denial)
      const row = tokenOf(request, asked.who)
      const question = asked.question()
      const { views } = request
      return json({
        ...explain(question, subjectOf(row, views), views),
        AccessorID: row.token.AccessorID,
        Resource: question.resource,
        Access: question.access,
        ...(question.segment ? { Segment: question.segment } : {}),
        ...tenancyViewOf(question.tenancy)
      })
    }
  }
]
