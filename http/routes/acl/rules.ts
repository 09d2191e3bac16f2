// Rule texts: translation from the legacy syntax, and validation (spec: acl.md §13).
import { recovery, rethrowAs } from '../../../events/errors.js'
import { invalidWith, aclNotFound } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { isUuid } from '../../../actors/uuid.js'
import { RuleError } from '../../../projections/acl/rules/model.js'
import { translateInSteps, translateRules } from '../../../projections/acl/rules/translate.js'
import { validateRules } from '../../../projections/acl/rules/validate.js'
import { json, plain, type RouteResponse } from '../../wire/response.js'
import { bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { validateBody, validation, explainBody, explanation } from '../../schemas/acl.js'
import type { Static } from 'typebox'
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
import { readDenial } from '../../wire/denial.js'
import type { RequestContext } from '../../wire/request-context.js'
import { readableRow } from './acl-reads.js'

const invalidRules = invalidWith('acl.policy.invalid')

type ExplainBody = Static<typeof explainBody>
const explainRequest = { schema: explainBody, name: 'Explain' }

interface ExplainTarget {
  readonly subject: Pick<ExplainBody, 'Token' | 'AccessorID'>
  /** Called after the caller's permission is checked. @throws Refusal `invalid`, naming field and rule */
  readonly question: () => ExplainedQuestion
}

/** @throws Refusal `invalid`, naming field and rule */
export const checkedAuthorization = (
  element: AuthorizationElement,
  options?: Parameters<typeof checkAuthorization>[1]
): AuthorizationQuestion =>
  rethrowAs(
    () => checkAuthorization(element, options),
    AuthorizeRequestError,
    message => invalidRules(`Bad request: ${message}`)
  )

const checkedQuestion = (element: AuthorizationElement): AuthorizationQuestion =>
  checkedAuthorization(element, { ofNamespaces: true })

/** Parses the text of a 403 response. @throws Refusal `invalid` for another text */
const fromDenial = (text: string): ExplainTarget => {
  const denied = readDenial(text)
  if (!denied)
    throw invalidRules(
      `Bad request: Denial must be the text of a 403, as in "… token with AccessorID '…' lacks permission '…' …"`
    )
  const { accessor, permission, on: segment, tenancy } = denied
  const [Resource = '', Access = ''] = permission.split(':')
  const isReadJob = permission === 'namespace:read-job'
  return {
    subject: { AccessorID: accessor },
    question: () => {
      const { resource, access } = checkedQuestion({ Resource, Access: isReadJob ? 'read' : Access })
      return { resource, access: isReadJob ? 'read-job' : access, segment, tenancy }
    }
  }
}

/**
 * Returns the token to explain. A token may explain itself. Other callers need `acl:read` in the token's tenancy.
 * @throws Refusal `invalid`, `denied`
 */
const tokenOf = (request: RequestContext, { Token, AccessorID }: ExplainTarget['subject']): TokenRow => {
  const { tokens } = request.views
  const row = Token ? tokens.bySecret(Token) : AccessorID ? tokens.get(AccessorID) : undefined
  const own = request.authority.token?.token.AccessorID
  const isOwn = own !== undefined && own !== ANONYMOUS_ACCESSOR && row?.token.AccessorID === own
  const shown = isOwn ? row : readableRow(request, row)
  if (!Token === !AccessorID) throw invalidRules('Bad request: one of Token and AccessorID must be given')
  if (!shown?.isValid(request.now)) throw aclNotFound()
  return shown
}

export const explainRoutes: readonly Route[] = [
  {
    tag: 'ACL rules',
    access: requires(
      'acl:read',
      'in the namespace of the token; a token needs no permission to explain itself'
    ),
    method: 'POST',
    path: '/v1/acl/explain',
    operationId: 'explainDecision',
    summary: 'Explain a permission decision: the rule that decides, and its path to the token',
    idempotency: 'nothing written',
    body: explainRequest,
    response: explanation,
    // The namespace in the body is that of the question, not of the request.
    handle: request => {
      const body = request.decode(explainRequest)
      const target =
        body.Denial === undefined
          ? { subject: body, question: () => checkedQuestion(body) }
          : fromDenial(body.Denial)
      const row = tokenOf(request, target.subject)
      const question = target.question()
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

const facts = { tag: 'ACL rules', access: requires('acl:read') } as const

/** @throws Refusal `invalid` for a syntax error */
const translated = async (request: RequestContext, text: string): Promise<RouteResponse> => {
  const translation = request.runBeside(translateInSteps(text)).catch(
    recovery(RuleError, ({ syntax, message }) => {
      throw invalidRules(`Bad request: Failed to parse rules: ${syntax ?? message}`)
    })
  )
  return plain(200, await translation)
}

const LEGACY_RULES = 'key "web/" { policy = "read" }'
const TRANSLATED = {
  type: 'text/plain',
  description: 'The rules in the current syntax',
  example: translateRules(LEGACY_RULES)
}

export const ruleRoutes: readonly Route[] = [
  route({
    ...facts,
    method: 'POST',
    path: '/v1/acl/rules/translate',
    operationId: 'translateRules',
    summary: 'Translate rules from the legacy syntax; the body is the rule text',
    idempotency: 'nothing written',
    rawBody: { type: 'text/plain', description: 'Rules in the legacy syntax', example: LEGACY_RULES },
    rawResponse: TRANSLATED,
    handle: request => {
      request.require('acl', 'read')
      return translated(request, request.body?.toString() ?? '')
    }
  }),
  bodyRoute({
    ...facts,
    method: 'POST',
    path: '/v1/acl/policy/validate',
    operationId: 'validateRules',
    summary: 'Validate rules without storing them',
    idempotency: 'nothing written',
    body: { schema: validateBody, name: 'Rules' },
    response: validation,
    handle: (request, { Rules = '' }) => {
      request.require('acl', 'read')
      return request.runBeside(validateRules(Rules, request.tenancy)).then(json)
    }
  }),
  route({
    ...facts,
    method: 'GET',
    path: '/v1/acl/rules/translate/:accessor_id',
    aliases: ['/v1/acl/rules/translate/'],
    operationId: 'translateTokenRules',
    summary: 'Translate the rules of a legacy token',
    rawResponse: TRANSLATED,
    handle: request => {
      const accessor = request.param('accessor_id')
      if (accessor === '') throw invalidRules('Bad request: Missing token ID')
      request.require('acl', 'read')
      if (!isUuid(accessor)) throw invalidRules(`AccessorID "${accessor}" is not a valid UUID`)
      const row = isWithinTenancy(request.views.tokens.get(accessor), request.tenancy)
      if (!row?.isValid(request.now)) throw aclNotFound()
      if (row.token.Rules === undefined) throw invalidRules('The specified token does not have any rules set')
      return translated(request, row.token.Rules)
    }
  })
]
