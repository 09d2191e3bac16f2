// ACL policies (spec: acl.md §4).
import { invalid } from '../../../actors/refusal.js'
import { policyDefinition, POLICY_TOPIC } from '../../../events/policy.js'
import type { PolicyRow } from '../../../projections/acl/policies.js'
import { parseRulesCached, prepareRules } from '../../../projections/acl/rules/parsed-rules.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { globalAclFacts, ACL_NOT_FOUND } from './acl-reads.js'
import { warningHeaders } from '../../wire/response.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { type Route, inputsOf } from '../../wire/route.js'

const inputOf = inputsOf(policyDefinition)

/** Returns the warnings about parts of the rules that have no effect, such as `key_prefx`. */
const warningsOf = ({ policy: { Rules }, tenancy }: PolicyRow): readonly string[] =>
  parseRulesCached(Rules, tenancy).warnings.map(
    ({ message, line, column }) => `${message} (line ${line}, column ${column})`
  )

/** Returns the response to a write: the policy, with warnings of its rules. */
export const writtenPolicy = (request: RequestContext, id: string) => () => {
  const row = request.views.policies.get(id)
  const answer = writtenAcl(request, row, ({ json: text }) => text)
  const warnings = row ? warningsOf(row) : []
  return warnings.length > 0 ? { ...answer, headers: warningHeaders(warnings) } : answer
}

export const policyRoutes: readonly Route[] = aclCrudRoutes({
  shape: policyDefinition,
  topic: POLICY_TOPIC,
  noun: 'policy',
  plural: 'Policies',
  paths: ['/v1/acl/policy', '/v1/acl/policies'],
  facts: globalAclFacts('ACL policies'),
  checkId: ({ ID }, id) => {
    if (ID && id === '')
      throw invalid('acl.policy.invalid', 'Bad request: Cannot specify the ID when creating a new policy')
    requireSame(policyDefinition, 'ID', ID, id)
  },
  prepare: ({ tenancy }, { Rules = '' }) => prepareRules(Rules, tenancy),
  create: (request, body, newId) => request.command('CreatePolicy', { ...inputOf(body), newId }),
  update: (request, body, id) => request.command('UpdatePolicy', { ...inputOf(body), id }),
  remove: (request, id) => request.command('DeletePolicy', { id }),
  rowsOf: views => views.policies,
  idOf: row => row.policy.ID,
  watch: ['policy', 'policies'],
  textOf: row => row.json,
  entryOf: row => row.listJson,
  written: writtenPolicy,
  named: {
    find: ({ policies }, tenancy, name) => policies.named(tenancy, name),
    code: 'acl.policy.invalid'
  },
  missing: () => ACL_NOT_FOUND,
  idNames: ['acl.policy.invalid', 'Policy ID'],
  list: {
    summary: 'List the policies',
    query: { filter: 'A filter expression' },
    filtered: row => row.policy
  }
})
