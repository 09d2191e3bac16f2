// Rule texts: translation from the legacy syntax, and validation (spec: acl.md §13).
import { aclNotFound, invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { isUuid } from '../../../actors/uuid.js'
import { RuleError } from '../../../projections/acl/rules/rule-error.js'
import { translateRules } from '../../../projections/acl/rules/translate.js'
import { validateRules } from '../../../projections/acl/rules/validate.js'
import { json, plain } from '../../wire/response.js'
import { bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { validateBody, validation } from '../../schemas/acl.js'

const facts = {
  tag: 'ACL rules',
  access: requires('acl:read')
} as const

/** @throws Refusal `invalid` for a syntax error */
const translated = (text: string): string => {
  try {
    return translateRules(text)
  } catch (error) {
    if (error instanceof RuleError)
      throw invalid(`Bad request: Failed to parse rules: ${error.syntax ?? error.message}`)
    throw error
  }
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
      return plain(200, translated(request.incoming.body?.toString() ?? ''))
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
      return json(validateRules(Rules, request.tenancy))
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
      if (accessor === '') throw invalid('Bad request: Missing token ID')
      request.require('acl', 'read')
      if (!isUuid(accessor)) throw invalid(`AccessorID "${accessor}" is not a valid UUID`)
      const row = isWithinTenancy(request.views.tokens.get(accessor), request.tenancy)
      if (!row?.isValid(request.now)) throw aclNotFound()
      if (row.token.Rules === undefined) throw invalid('The specified token does not have any rules set')
      return plain(200, translated(row.token.Rules))
    }
  })
]
