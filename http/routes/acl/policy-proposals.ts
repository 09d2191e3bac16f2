// Proposed next versions of policies, and the recorded questions that they would answer differently.
import * as Type from 'typebox'
import { currentProposalOf, proposalNotFound, proposedPolicyOf } from '../../../actors/policy-proposal.js'
import { invalid } from '../../../actors/refusal.js'
import { requireUuid } from '../../../actors/uuid.js'
import { policyDefinition } from '../../../events/policy.js'
import { POLICY_PROPOSAL_TOPIC, policyProposalDefinition } from '../../../events/policy-proposal.js'
import { parseTime } from '../../../events/time.js'
import type { PolicyProposalRow } from '../../../projections/acl/policy-proposals.js'
import { prepareRules } from '../../../projections/acl/rules/parsed-rules.js'
import type { Steps } from '../../../projections/steps.js'
import { bodySchema, responseSchema } from '../../schemas/definition-schemas.js'
import { impact } from '../../schemas/impact.js'
import { inputsOf, bodyRoute, PRIMARY_WRITE, route, type Route } from '../../wire/route.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { writtenAcl, type RequestContext } from '../../wire/request-context.js'
import { refusedWith, json, jsonText, type Responding } from '../../wire/response.js'
import { unsigned64 } from '../../wire/query.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { MINUTE_MS } from '../../wire/token-use.js'
import { decideAfter } from './acl-crud.js'
import { aclListHistory, policyProposalKeyOf } from './acl-history.js'
import { globalAclFacts, readableRow, readAclList, readAclOne } from './acl-reads.js'
import { decidedOn } from './impact/impact-routes.js'
import type { Impacts } from './impact/impacts.js'
import { writtenPolicy } from './policies.js'

const PATH = '/v1/acl/policy/:id/proposal'
const facts = globalAclFacts('ACL policies')
/** Only the primary datacenter has proposals. */
const read = { ...facts.read, ...PRIMARY_WRITE, tenancy: 'many' } as const
const { write } = facts

const inputOf = inputsOf(policyProposalDefinition)
const proposalAnswer = responseSchema(policyProposalDefinition)

/** Returns the ID of the policy, in lower case. @throws Refusal `denied` before `invalid` */
const permittedId = (request: RequestContext, access: 'read' | 'write'): string => {
  request.require('acl', access)
  const id = request.param('id')
  requireUuid('acl.policy.proposal-invalid', 'Policy ID', id)
  return id.toLowerCase()
}

const rowOf = (request: RequestContext, id: string): PolicyProposalRow | undefined =>
  currentProposalOf(request.views, { tenancy: request.tenancy, at: request.now, id })

const casIn = ({ query }: RequestContext): number => {
  const text = query.filled('cas') ?? ''
  if (!/^\d{1,15}$/.test(text))
    throw invalid(
      'acl.policy.proposal-invalid',
      `Invalid cas: "${text.slice(0, 200)}" must be the ModifyIndex of the proposal`
    )
  return Number(text)
}

/** Returns the steps that parse the proposed rules, if they are long. */
const prepareRow = (row: PolicyProposalRow | undefined): Steps<unknown> | undefined =>
  row && prepareRules(row.proposal.Rules, row.tenancy)

const promote = (request: RequestContext): Responding => {
  const id = permittedId(request, 'write')
  const cas = casIn(request)
  return decideAfter(request, prepareRow(rowOf(request, id)), () => {
    const command = request.command('PromotePolicy', { id, cas })
    return request.write(request.ref(POLICY_PROPOSAL_TOPIC, id), command, writtenPolicy(request, id))
  })
}

const withdraw = (request: RequestContext): Responding => {
  const id = permittedId(request, 'write')
  const command = request.command('WithdrawPolicyProposal', { id })
  return request.write(request.ref(POLICY_PROPOSAL_TOPIC, id), command, () => json(true))
}

const writeRoutes: readonly Route[] = [
  bodyRoute({
    ...write,
    method: 'PUT',
    path: PATH,
    operationId: 'proposePolicy',
    summary: 'Propose the next version of a policy, which decides nothing until it is promoted',
    body: { schema: bodySchema(policyProposalDefinition), name: 'PolicyProposal' },
    response: proposalAnswer,
    handle: (request, body) => {
      const id = permittedId(request, 'write')
      return decideAfter(request, prepareRules(body.Rules ?? '', request.tenancy), () => {
        const command = request.command('ProposePolicy', { ...inputOf(body), id })
        return request.write(request.ref(POLICY_PROPOSAL_TOPIC, id), command, () =>
          writtenAcl(request, request.views.policyProposals.get(id), row => row.json)
        )
      })
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: PATH,
    operationId: 'withdrawPolicyProposal',
    summary: 'Withdraw the proposal of a policy',
    response: Type.Boolean(),
    outcomes: { 404: { description: 'The policy has no proposal' } },
    handle: withdraw
  }),
  route({
    ...write,
    method: 'PUT',
    path: `${PATH}/promote`,
    operationId: 'promotePolicyProposal',
    summary: 'Replace a policy by its proposal',
    query: { cas: unsigned64('Required: the ModifyIndex of the proposal that was reviewed') },
    response: responseSchema(policyDefinition),
    outcomes: {
      404: { description: 'The policy has no proposal' },
      409: { description: 'The proposal, or the policy after the proposal, was changed' }
    },
    handle: promote
  })
]

const impactRoute = (impacts: Impacts): Route =>
  route({
    ...read,
    blocking: false,
    consistency: 'none',
    process: 'main',
    path: `${PATH}/impact`,
    operationId: 'readPolicyProposalImpact',
    summary:
      'Read what a proposal would change: rights, and the answers to the questions recorded since the day of the proposal',
    response: impact,
    outcomes: { 404: { description: 'The policy has no proposal' } },
    handle: async request => {
      const id = permittedId(request, 'read')
      const since = (parseTime(rowOf(request, id)?.proposal.CreateTime ?? '') ?? 0) / MINUTE_MS
      const change = async () => {
        const steps = prepareRow(rowOf(request, id))
        if (steps) await request.runBeside(steps)
        const row = readableRow(request, rowOf(request, id))
        if (!row) throw proposalNotFound(id)
        const command = { ...request.command('UpdatePolicy', proposedPolicyOf(row)), tenancy: row.tenancy }
        return decidedOn(request, request.ref('ACLPolicy', id), command)
      }
      return jsonText(await impacts.stable(request, change, { kind: 'policy', id }, since))
    }
  })

export const policyProposalRoutes = (impacts: Impacts): readonly Route[] => [
  ...writeRoutes,
  route({
    ...read,
    path: PATH,
    operationId: 'readPolicyProposal',
    summary: 'Read the proposal of a policy',
    past: historyOfResource(request => policyProposalKeyOf(request, request.param('id'))),
    response: proposalAnswer,
    outcomes: { 404: { description: 'The policy has no proposal' } },
    handle: request =>
      respondToRead(request, () => {
        const id = permittedId(request, 'read')
        return readAclOne(request, rowOf(request, id), {
          source: request.views.policyProposals,
          watch: 'policy-proposals',
          watchOf: () => `policy-proposal/${id}`,
          text: row => row.json,
          missing: refusedWith('acl.policy.proposal-not-found', proposalNotFound(id).message)
        })
      })
  }),
  impactRoute(impacts),
  route({
    ...read,
    path: '/v1/acl/policy-proposals',
    operationId: 'listPolicyProposals',
    summary: 'List the proposals of policies',
    past: aclListHistory(POLICY_PROPOSAL_TOPIC),
    isPaged: true,
    response: Type.Array(proposalAnswer),
    handle: request =>
      respondToRead(request, () =>
        readAclList(request, {
          source: request.views.policyProposals,
          watch: 'policy-proposals',
          passes: row => request.now < row.expiresAt,
          text: row => row.json
        })
      )
  })
]
