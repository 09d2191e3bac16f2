// ACL policies (spec: acl.md §4).
import { invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { requireUuid } from '../../../actors/uuid.js'
import { policyDefinition, POLICY_TOPIC } from '../../../events/policy.js'
import type { PolicyRow } from '../../../projections/acl/policies.js'
import { parseRulesCached, prepareRules } from '../../../projections/acl/rules/parsed-rules.js'
import { filterFieldsOf } from '../../../events/definition/forms/forms.js'
import type { Views } from '../../../projections/read-models.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { globalAclFacts, ACL_NOT_FOUND, readAclList, readAclOne } from './acl-reads.js'
import { aclListHistory, historyByName, policyKeyOf } from './acl-history.js'
import { warningHeaders } from '../../wire/response.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { filterOf } from '../../wire/reads/filter.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { route, type Route, inputsOf } from '../../wire/route.js'
import { responseSchema } from '../../schemas/definition-schemas.js'

const facts = globalAclFacts('ACL policies')
const inputOf = inputsOf(policyDefinition)
const FILTER_FIELDS = filterFieldsOf(policyDefinition.fields)

/** Returns the warnings about parts of the rules that have no effect, such as `key_prefx`. */
const warningsOf = ({ policy: { Rules }, tenancy }: PolicyRow): readonly string[] =>
  parseRulesCached(Rules, tenancy).warnings.map(
    ({ message, line, column }) => `${message} (line ${line}, column ${column})`
  )

/** Returns the response to a write: the policy, with warnings of its rules. */
export const writtenPolicy = (request: RequestContext, id: string) => () => {
  const row = request.views.policies.get(id)
  const answer = writtenAcl(request, row, ({ json: text }) => text)
  return row ? { ...answer, headers: [...answer.headers, ...warningHeaders(warningsOf(row))] } : answer
}

const readOne = (request: RequestContext, find: (views: Views) => PolicyRow | undefined) =>
  respondToRead(request, () => {
    const { views } = request
    return readAclOne(request, find(views), {
      source: views.policies,
      watch: 'policies',
      watchOf: row => `policy/${row.policy.ID}`,
      text: row => row.json,
      missing: ACL_NOT_FOUND
    })
  })

export const policyRoutes: readonly Route[] = [
  ...aclCrudRoutes({
    shape: policyDefinition,
    topic: POLICY_TOPIC,
    noun: 'policy',
    plural: 'Policies',
    paths: ['/v1/acl/policy', '/v1/acl/policies'],
    facts,
    checkId: ({ ID }, id) => {
      if (ID && id === '')
        throw invalid('acl.policy.invalid', 'Bad request: Cannot specify the ID when creating a new policy')
      requireSame(policyDefinition, 'ID', ID, id)
    },
    prepare: ({ tenancy }, { Rules = '' }) => prepareRules(Rules, tenancy),
    create: (request, body, newId) => request.command('CreatePolicy', { ...inputOf(body), newId }),
    update: (request, body, id) => request.command('UpdatePolicy', { ...inputOf(body), id }),
    remove: (request, id) => request.command('DeletePolicy', { id }),
    written: writtenPolicy,
    read: {
      summary: 'Read a policy by ID',
      past: historyOfResource(request => policyKeyOf(request, request.param('id'))),
      handle: (request, id) =>
        readOne(request, views => {
          requireUuid('acl.policy.invalid', 'Policy ID', id)
          return isWithinTenancy(views.policies.get(id), request.tenancy)
        })
    },
    list: {
      summary: 'List the policies',
      past: aclListHistory(POLICY_TOPIC),
      query: { filter: 'A filter expression' },
      handle: request =>
        respondToRead(request, () => {
          const { policies } = request.views
          request.require('acl', 'read')
          const passes = filterOf(request, FILTER_FIELDS)
          return readAclList(request, {
            source: policies,
            watch: 'policies',
            passes: passes && (row => passes(row.policy)),
            text: row => row.listJson
          })
        })
    }
  }),
  route({
    ...facts.read,
    path: '/v1/acl/policy/name/:name',
    aliases: ['/v1/acl/policy/name/'],
    operationId: 'readPolicyByName',
    summary: 'Read a policy by name',
    past: historyByName(
      POLICY_TOPIC,
      ({ policies }, request) => policies.named(request.tenancy, request.param('name')),
      row => row.policy.ID
    ),
    response: responseSchema(policyDefinition),
    handle: request => {
      const name = request.param('name')
      if (name === '') throw invalid('acl.policy.invalid', 'Bad request: Missing policy Name')
      return readOne(request, views => views.policies.named(request.tenancy, name))
    }
  })
]
